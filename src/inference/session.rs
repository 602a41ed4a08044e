//! Sessions: a loaded model whose inputs and outputs were checked against its contract.

use std::path::Path;
use std::sync::OnceLock;

use ndarray::{ArrayD, ArrayViewD};
use ort::session::SessionInputValue;
use ort::session::builder::GraphOptimizationLevel;
use ort::value::{TensorElementType, TensorRef, ValueType};

use super::telemetry;
use super::usage::thread_cpu_secs;
use super::{ModelEntry, Registry, Runtime, TensorSpec, UsageBook};
use crate::error::{Error, Result};

/// One environment a process: the runtime's own rule.
static ENVIRONMENT: OnceLock<std::result::Result<ort::environment::Environment, String>> = OnceLock::new();

fn environment(registry: &Registry) -> Result<&'static ort::environment::Environment> {
    let path = registry.runtime_path();
    let fail = |cause: String| Error::Runtime {
        path: path.clone(),
        needed: registry.runtime().version.clone(),
        source: cause.into(),
    };
    if !path.is_file() && std::env::var_os("ORT_DYLIB_PATH").is_none() {
        return Err(fail("no such file".into()));
    }
    ENVIRONMENT
        .get_or_init(|| {
            telemetry::must_be_off()?;
            let builder = ort::init_from(&path).map_err(|e| e.to_string())?;
            builder.with_name("turnwise").with_telemetry(false).build().map_err(|e| e.to_string())
        })
        .as_ref()
        .map_err(|cause| fail(cause.clone()))
}

/// What the loaded ONNX Runtime says of itself.
#[derive(Clone, Debug)]
pub struct RuntimeInfo {
    /// Version and build.
    pub version: String,
}

/// Loads ONNX Runtime and asks for its build string.
///
/// # Errors
/// [`Error::Runtime`] when it cannot be loaded.
pub fn runtime_info(registry: &Registry) -> Result<RuntimeInfo> {
    environment(registry)?;
    Ok(RuntimeInfo { version: ort::info().to_owned() })
}

/// A tensor on its way into a model.
#[derive(Clone, Debug)]
pub enum Input<'a> {
    /// 32-bit floats, standard layout.
    F32(ArrayViewD<'a, f32>),
    /// 64-bit integers, standard layout.
    I64(ArrayViewD<'a, i64>),
}

impl Input<'_> {
    fn shape(&self) -> &[usize] {
        match self {
            Input::F32(a) => a.shape(),
            Input::I64(a) => a.shape(),
        }
    }
}

/// A loaded model. One per worker: a run needs it exclusively.
pub struct Session {
    name: String,
    outputs: Vec<String>,
    usage: UsageBook,
    /// `None` where the model was named, not loaded.
    session: Option<ort::session::Session>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Session {}", self.name)
    }
}

impl Session {
    /// Loads a registered model and checks its contract. The hash is [`Registry::verify`]'s business.
    ///
    /// # Errors
    /// [`Error::ModelMissing`], [`Error::Runtime`], [`Error::Model`] when the runtime refuses the file,
    /// [`Error::ModelContract`].
    pub fn load(registry: &Registry, name: &str, runtime: Runtime) -> Result<Self> {
        Self::in_book(registry, name, runtime, UsageBook::default())
    }

    /// A session that only stands for its model: it cannot be run.
    pub(super) fn named(entry: &ModelEntry) -> Self {
        Session { name: entry.name.clone(), outputs: Vec::new(), usage: UsageBook::default(), session: None }
    }

    /// As [`Session::load`]; what the session is asked is written into `usage`.
    pub(super) fn in_book(registry: &Registry, name: &str, runtime: Runtime, usage: UsageBook) -> Result<Self> {
        let entry = registry.model(name)?;
        let path = registry.path(entry);
        if !path.is_file() {
            return Err(Error::ModelMissing { name: name.into(), path, expected: entry.sha256.clone() });
        }
        let session = build(environment(registry)?, &path, runtime).map_err(|e| Error::model(name, e))?;
        check(entry, "input", &entry.inputs, session.inputs())?;
        check(entry, "output", &entry.outputs, session.outputs())?;
        crate::pulse::beat();
        let outputs = entry.outputs.iter().map(|o| o.name.clone()).collect();
        Ok(Session { name: name.into(), outputs, usage, session: Some(session) })
    }

    /// Registry name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs the model; outputs come as 32-bit floats in the registry's order.
    ///
    /// # Errors
    /// [`Error::Model`] when a shape does not fit or the runtime fails.
    pub fn run(&mut self, inputs: &[(&str, Input<'_>)]) -> Result<Vec<ArrayD<f32>>> {
        let Some(session) = &mut self.session else {
            return Err(Error::model(self.name.clone(), "it was named, not loaded"));
        };
        try_run(session, &self.outputs, inputs, |shapes, cpu_secs| self.usage.add(&self.name, shapes, cpu_secs))
            .map_err(|e| Error::model(self.name.clone(), e))
    }
}

fn try_run(
    session: &mut ort::session::Session,
    outputs: &[String],
    inputs: &[(&str, Input<'_>)],
    told: impl FnOnce(Vec<(String, Vec<usize>)>, f64),
) -> std::result::Result<Vec<ArrayD<f32>>, ort::Error> {
    let mut values: Vec<(String, SessionInputValue<'_>)> = Vec::with_capacity(inputs.len());
    let mut shapes = Vec::with_capacity(inputs.len());
    for (name, input) in inputs {
        shapes.push(((*name).to_owned(), input.shape().to_owned()));
        let value: SessionInputValue<'_> = match input {
            Input::F32(a) => TensorRef::from_array_view(a.view())?.into(),
            Input::I64(a) => TensorRef::from_array_view(a.view())?.into(),
        };
        values.push(((*name).to_owned(), value));
    }
    let begun = thread_cpu_secs();
    let results = session.run(values)?;
    crate::pulse::beat();
    told(shapes, thread_cpu_secs() - begun);
    let floats = |name: &String| {
        let value = &results[name.as_str()];
        match value.try_extract_array::<f32>() {
            Ok(array) => Ok(array.to_owned()),
            // Some graphs answer in double precision; the tables hold single.
            Err(_) => value.try_extract_array::<f64>().map(|array| array.mapv(|x| x as f32)),
        }
    };
    outputs.iter().map(floats).collect()
}

fn build(
    environment: &ort::environment::Environment,
    path: &Path,
    runtime: Runtime,
) -> std::result::Result<ort::session::Session, ort::Error> {
    ort::session::Session::builder(environment)?
        .with_optimization_level(GraphOptimizationLevel::Level3)?
        .with_intra_threads(runtime.intra_threads)?
        .with_inter_threads(1)?
        // Spinning workers would burn the CPU time that other stages need.
        .with_intra_op_spinning(false)?
        .with_memory_pattern(runtime.arena)?
        .with_execution_providers([ort::ep::CPU::default().with_arena_allocator(runtime.arena).build()])?
        .with_log_level(ort::logging::LogLevel::Error)?
        .commit_from_file(path)
}

fn check(entry: &ModelEntry, side: &str, expected: &[TensorSpec], got: &[ort::value::Outlet]) -> Result<()> {
    for spec in expected {
        let wrong = |found: String| Error::ModelContract {
            name: entry.name.clone(),
            tensor: format!("{side} \"{}\"", spec.name),
            expected: spec.text(),
            got: found,
        };
        let Some(outlet) = got.iter().find(|o| o.name() == spec.name) else {
            let names: Vec<&str> = got.iter().map(|o| o.name()).collect();
            return Err(wrong(format!("{side}s named {}", names.join(", "))));
        };
        let ValueType::Tensor { ty, shape, .. } = outlet.dtype() else {
            return Err(wrong(format!("{:?}", outlet.dtype())));
        };
        let dtype = match ty {
            TensorElementType::Float32 => "f32",
            TensorElementType::Float64 => "f64",
            TensorElementType::Int64 => "i64",
            _ => "another type",
        };
        let dims: Vec<i64> = shape.iter().copied().collect();
        // A dimension fits when it is the same, or when the graph leaves it free.
        let fits = dims.len() == spec.shape.len()
            && spec.dims().iter().zip(&dims).all(|(want, &have)| have < 0 || *want == Some(have));
        if dtype != spec.dtype || !fits {
            return Err(wrong(format!("{} {dtype} {dims:?}", spec.name)));
        }
    }
    Ok(())
}
