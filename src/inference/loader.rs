//! Which models a room runs, stated once: the list that loads them also names them, and checks them before anything is
//! decoded.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{ModelEntry, Registry, Runtime, Session, Usage};
use crate::error::Result;

/// The models of a room, or of all rooms together.
pub trait ModelSet: Sized {
    /// The part of a recipe that decides which models these are.
    type Config;

    /// The list: asks the loader for each session. A loader that names or checks gives sessions that cannot be run.
    ///
    /// # Errors Those of [`Loader::session`]; [`crate::error::Error::ModelContract`] when an entry cannot serve as what
    /// it is listed for.
    fn open(loader: &mut Loader<'_>, config: &Self::Config) -> Result<Self>;

    /// Loads them.
    ///
    /// # Errors
    /// Those of [`ModelSet::open`].
    fn load(registry: &Registry, config: &Self::Config, runtime: Runtime) -> Result<Self> {
        Self::open(&mut Loader::new(registry, runtime), config)
    }

    /// Registry names, sorted, each once.
    ///
    /// # Errors
    /// Those of [`ModelSet::open`], though no file is looked at.
    fn names(registry: &Registry, config: &Self::Config) -> Result<Vec<String>> {
        let mut loader = Loader { purpose: Purpose::Name, ..Loader::new(registry, Runtime::default()) };
        Self::open(&mut loader, config)?;
        loader.names.sort_unstable();
        loader.names.dedup();
        Ok(loader.names)
    }

    /// Checks that each is there, unaltered, and able to serve as what it is listed for; loads none.
    ///
    /// # Errors
    /// Those of [`ModelSet::open`] and [`Registry::verify`], of the first by name that is not as it should be.
    fn check(registry: &Registry, config: &Self::Config) -> Result<()> {
        registry.verify(Self::names(registry, config)?.iter().map(String::as_str))
    }
}

/// What a list is run for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Name,
    Load(Runtime),
}

/// Hands out sessions to [`ModelSet::open`], and keeps the book on what they are asked.
#[derive(Debug)]
pub struct Loader<'a> {
    registry: &'a Registry,
    purpose: Purpose,
    names: Vec<String>,
    usage: UsageBook,
}

impl<'a> Loader<'a> {
    /// A loader of files.
    pub fn new(registry: &'a Registry, runtime: Runtime) -> Self {
        Loader { registry, purpose: Purpose::Load(runtime), names: Vec::new(), usage: UsageBook::default() }
    }

    /// What the registry says of a model, to see whether it can serve before it is loaded.
    ///
    /// # Errors
    /// [`crate::error::Error::Usage`] for a name that is not registered.
    pub fn entry(&self, name: &str) -> Result<&'a ModelEntry> {
        self.registry.model(name)
    }

    /// A session of a registered model.
    ///
    /// # Errors
    /// Those of [`Session::load`] when the list is run to load, else those of [`Registry::model`].
    pub fn session(&mut self, name: &str) -> Result<Session> {
        self.open(name, |runtime| runtime)
    }

    /// The same for one that keeps no freed tensors: where the signal of a long recording fills the memory they would
    /// take.
    ///
    /// # Errors
    /// As [`Loader::session`].
    pub fn session_without_arena(&mut self, name: &str) -> Result<Session> {
        self.open(name, |runtime| Runtime { arena: false, ..runtime })
    }

    fn open(&mut self, name: &str, settings: impl FnOnce(Runtime) -> Runtime) -> Result<Session> {
        self.names.push(name.to_owned());
        match self.purpose {
            Purpose::Name => Ok(Session::named(self.registry.model(name)?)),
            Purpose::Load(runtime) => Session::in_book(self.registry, name, settings(runtime), self.usage.clone()),
        }
    }

    /// Two lists, the one beside the other where models are loaded; of two errors the first list's is told.
    ///
    /// # Errors
    /// Those of the lists.
    pub fn both<A: Send, B: Send>(
        &mut self,
        first: impl FnOnce(&mut Loader<'a>) -> Result<A> + Send,
        second: impl FnOnce(&mut Loader<'a>) -> Result<B> + Send,
    ) -> Result<(A, B)> {
        let mut other =
            Loader { registry: self.registry, purpose: self.purpose, names: Vec::new(), usage: self.usage.clone() };
        let (a, b) = rayon::join(|| first(self), || second(&mut other));
        let both = (a?, b?);
        self.names.append(&mut other.names);
        Ok(both)
    }

    /// Whether sessions can be run, for what a room asks a model once and for all.
    pub fn loads(&self) -> bool {
        self.purpose != Purpose::Name
    }

    /// The book that every session of this loader writes into.
    pub fn usage(&self) -> UsageBook {
        self.usage.clone()
    }
}

/// What the sessions of one loader were asked, by model.
#[derive(Clone, Debug, Default)]
pub struct UsageBook(Arc<Mutex<BTreeMap<String, Usage>>>);

impl UsageBook {
    /// The calls of each model since the last time this was asked; models that were not called are left out.
    pub fn take(&self) -> BTreeMap<String, Usage> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Counts one call of a model.
    pub(super) fn add(&self, name: &str, inputs: Vec<(String, Vec<usize>)>, cpu_secs: f64) {
        let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match book.get_mut(name) {
            Some(usage) => usage.add(inputs, cpu_secs),
            None => book.entry(name.to_owned()).or_default().add(inputs, cpu_secs),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use ndarray::ArrayD;

    use super::*;
    use crate::inference::Input;

    const REGISTRY: &str = r#"
schema = 1
[runtime]
file = "none.so"
version = "1"
sha256 = "00"
licence = "MIT"
[[model]]
name = "b"
role = "r"
file = "b.onnx"
sha256 = "00"
licence = "MIT"
origin = "o"
inputs = []
outputs = []
[[model]]
name = "a"
role = "r"
file = "a.onnx"
sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
licence = "MIT"
origin = "o"
inputs = []
outputs = []
"#;

    /// A room of two models, one of them by the recipe's choice.
    #[derive(Debug)]
    struct Room(Session);

    impl ModelSet for Room {
        type Config = String;

        fn open(loader: &mut Loader<'_>, chosen: &String) -> Result<Self> {
            let entry = loader.entry(chosen)?;
            if entry.licence != "MIT" {
                return Err(entry.unfit("a choice", "MIT", entry.licence.clone()));
            }
            loader.session_without_arena("b")?;
            Ok(Room(loader.session(chosen)?))
        }
    }

    fn registry(dir: PathBuf) -> Registry {
        Registry::parse(REGISTRY, Path::new("made.toml"), dir).unwrap()
    }

    #[test]
    fn one_list_names_checks_and_loads() {
        let folder = tempfile::tempdir().unwrap();
        let registry = registry(folder.path().to_owned());
        // Names need no file.
        assert_eq!(Room::names(&registry, &"a".to_owned()).unwrap(), ["a", "b"]);
        assert_eq!(Room::names(&registry, &"b".to_owned()).unwrap(), ["b"]);
        assert_eq!(Room::names(&registry, &"c".to_owned()).unwrap_err().kind(), "usage");
        // A check looks at the files of that list: the chosen one is there, the other is not, then it is altered.
        std::fs::write(folder.path().join("a.onnx"), "").unwrap();
        let told = |e: crate::error::Error| e.to_string();
        assert!(told(Room::check(&registry, &"a".to_owned()).unwrap_err()).contains("b.onnx"));
        std::fs::write(folder.path().join("b.onnx"), "x").unwrap();
        assert!(
            matches!(Room::check(&registry, &"a".to_owned()), Err(crate::error::Error::ModelHash { name, .. }) if name == "b")
        );
        // Loading asks the runtime, which is not there.
        assert!(matches!(
            Room::load(&registry, &"a".to_owned(), Runtime::default()),
            Err(crate::error::Error::Runtime { .. })
        ));
    }

    #[test]
    fn a_session_that_was_only_named_cannot_be_run() {
        let registry = registry(PathBuf::from("/nowhere"));
        let mut loader = Loader { purpose: Purpose::Name, ..Loader::new(&registry, Runtime::default()) };
        let mut room = Room::open(&mut loader, &"a".to_owned()).unwrap();
        let zero = ArrayD::<f32>::zeros(vec![1]);
        let error = room.0.run(&[("x", Input::F32(zero.view()))]).unwrap_err();
        assert!(error.kind() == "model" && error.chain().contains("named, not loaded"), "{}", error.chain());
        assert!(!loader.loads() && loader.usage().take().is_empty());
    }

    #[test]
    fn all_sessions_of_a_loader_write_into_one_book() {
        let book = UsageBook::default();
        let other = book.clone();
        book.add("a", vec![("x".into(), vec![1])], 0.5);
        other.add("b", vec![("x".into(), vec![1])], 0.25);
        other.add("a", vec![("x".into(), vec![2])], 0.5);
        let taken = book.take();
        assert_eq!(taken.iter().map(|(name, u)| (name.as_str(), u.calls)).collect::<Vec<_>>(), [("a", 2), ("b", 1)]);
        assert_eq!((taken["a"].cpu_secs, taken["a"].shapes.len()), (1.0, 2));
        assert!(other.take().is_empty());
    }

    #[test]
    fn two_lists_are_one_and_the_first_ones_error_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let registry = registry(folder.path().to_owned());
        let mut loader = Loader { purpose: Purpose::Name, ..Loader::new(&registry, Runtime::default()) };
        let (one, two) = loader.both(|l| l.session("b"), |l| Ok((l.session("a")?, l.session("b")?))).unwrap();
        assert_eq!(
            (one.name(), two.0.name(), loader.names.as_slice()),
            ("b", "a", &["b", "a", "b"].map(String::from)[..])
        );
        let mut loader = Loader::new(&registry, Runtime::default());
        for _ in 0..20 {
            let missing = |l: &mut Loader<'_>, name: &str| l.session(name).map(|_| ());
            let error = loader.both(|l| missing(l, "b"), |l| missing(l, "a")).unwrap_err();
            assert!(matches!(&error, crate::error::Error::ModelMissing { name, .. } if name == "b"), "{error}");
        }
    }
}
