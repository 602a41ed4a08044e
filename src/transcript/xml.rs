//! XML as a tree: small documents of captions and transcripts, whose elements refer to each other.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::draft::{CUT, Draft, short};
use super::markup;
use crate::error::Result;

/// Elements within elements; transcripts have fewer than ten.
const DEEPEST: usize = 64;

/// A document.
pub(super) struct Tree {
    nodes: Vec<Node>,
}

/// An element.
#[derive(Default)]
pub(super) struct Node {
    /// Without its prefix.
    pub(super) name: String,
    /// Names without their prefixes, and values.
    attributes: Vec<(String, String)>,
    /// 1-based line in the file.
    pub(super) line: usize,
    /// False where the file ends within it.
    pub(super) whole: bool,
    children: Vec<Child>,
}

/// What stands in an element.
enum Child {
    Element(usize),
    Text(String),
}

/// A child as it is seen from outside.
pub(super) enum Inside<'t> {
    /// An element.
    Element(&'t Node),
    /// Text, entities resolved.
    Text(&'t str),
}

impl Node {
    /// An attribute without white space around it; `None` where it is absent or empty.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let (_, value) = self.attributes.iter().find(|(key, _)| key == name)?;
        Some(value.trim()).filter(|v| !v.is_empty())
    }
}

impl Tree {
    /// The element around all others.
    pub(super) fn root(&self) -> &Node {
        &self.nodes[0]
    }

    /// What stands in an element, in order.
    pub(super) fn inside<'t>(&'t self, node: &'t Node) -> impl Iterator<Item = Inside<'t>> {
        node.children.iter().map(|c| match c {
            Child::Element(at) => Inside::Element(&self.nodes[*at]),
            Child::Text(text) => Inside::Text(text),
        })
    }

    /// The elements directly within one.
    pub(super) fn elements<'t>(&'t self, node: &'t Node) -> impl Iterator<Item = &'t Node> {
        self.inside(node).filter_map(|c| if let Inside::Element(node) = c { Some(node) } else { None })
    }

    /// All elements of a name, in the order of the file.
    pub(super) fn all<'t>(&'t self, name: &'t str) -> impl Iterator<Item = &'t Node> {
        self.nodes.iter().filter(move |n| n.name == name)
    }

    /// The text within an element and the elements in it.
    pub(super) fn text(&self, node: &Node) -> String {
        let mut out = String::new();
        for child in self.inside(node) {
            match child {
                Inside::Element(node) => out.push_str(&self.text(node)),
                Inside::Text(text) => out.push_str(text),
            }
        }
        out
    }
}

/// Parses a document; a file that is cut off is an error, or, leniently, told, and its open elements are not whole.
///
/// # Errors
/// [`crate::error::Error::Parse`] for what is no XML, with `expected` as what would be right.
pub(super) fn parse(text: &str, expected: &str, draft: &mut Draft) -> Result<Tree> {
    let mut reader = Reader::from_str(text);
    let mut building = Building { text, ..Building::default() };
    loop {
        let position = usize::try_from(reader.buffer_position()).unwrap_or(0);
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(e) if !text.get(position..).unwrap_or_default().contains('>') => {
                let what = format!("the file ends within a tag ({e})");
                draft.flaw(building.line_of(position), what, "what stands before is kept", CUT)?;
                break;
            }
            Err(e) => return Err(draft.fail(building.line_of(position), format!("XML cannot be read: {e}"), expected)),
        };
        match event {
            Event::Eof => {
                if let Some(&at) = building.open.last() {
                    let what = format!("the file ends within <{}>, which is not closed", building.nodes[at].name);
                    draft.flaw(building.line_of(text.len()), what, "what stands before is kept", CUT)?;
                }
                break;
            }
            Event::Start(tag) => {
                building.add(&tag, position, draft)?;
                if building.open.len() > DEEPEST {
                    let what = format!("more than {DEEPEST} elements within each other");
                    return Err(draft.fail(building.line_of(position), what, expected));
                }
            }
            Event::Empty(tag) => {
                building.add(&tag, position, draft)?;
                building.close();
            }
            Event::End(_) => building.close(),
            Event::Text(t) => building.say(&t),
            Event::CData(t) => building.say(&t),
            Event::GeneralRef(name) => {
                let written = format!("&{};", &*name);
                let resolved = markup::unescape(&written);
                if resolved == written {
                    let what = format!("nothing defines the entity {}", short(&written));
                    let hint = "write the character itself";
                    draft.flaw(building.line_of(position), what, "it is kept as written", hint)?;
                }
                building.say(&resolved);
            }
            _ => {}
        }
    }
    if building.nodes.is_empty() {
        Err(draft.fail(0, "no element", expected))
    } else {
        Ok(Tree { nodes: building.nodes })
    }
}

/// The tree while it grows.
#[derive(Default)]
struct Building<'t> {
    text: &'t str,
    nodes: Vec<Node>,
    open: Vec<usize>,
    /// Where lines were counted up to, and how many.
    at: usize,
    lines: usize,
}

impl Building<'_> {
    fn line_of(&mut self, position: usize) -> usize {
        let position = position.min(self.text.len());
        if position > self.at {
            self.lines += self.text.as_bytes()[self.at..position].iter().filter(|b| **b == b'\n').count();
            self.at = position;
        }
        self.lines + 1
    }

    fn add(&mut self, tag: &BytesStart, position: usize, draft: &mut Draft) -> Result<()> {
        let line = self.line_of(position);
        if self.open.is_empty() && !self.nodes.is_empty() {
            return Err(draft.fail(line, "a second document begins after the first", "make two files of it"));
        }
        let local = |name: &str| name.rsplit_once(':').map_or(name, |(_, local)| local).to_owned();
        let mut attributes = Vec::new();
        for written in tag.attributes().with_checks(false).flatten() {
            let value = written.normalized_value(XmlVersion::Implicit1_0).map(|v| v.into_owned());
            let value = match value {
                Ok(value) => value,
                Err(_) => {
                    let what = format!("an attribute refers to what nothing defines: {}", short(&written.value));
                    draft.flaw(line, what, "it is kept as written", "write the character itself")?;
                    written.value.to_string()
                }
            };
            attributes.push((local(written.key.as_ref()), value));
        }
        let at = self.nodes.len();
        if let Some(&parent) = self.open.last() {
            self.nodes[parent].children.push(Child::Element(at));
        }
        self.nodes.push(Node { name: local(tag.name().as_ref()), attributes, line, ..Node::default() });
        self.open.push(at);
        Ok(())
    }

    fn close(&mut self) {
        if let Some(at) = self.open.pop() {
            self.nodes[at].whole = true;
        }
    }

    fn say(&mut self, text: &str) {
        if let Some(&at) = self.open.last() {
            self.nodes[at].children.push(Child::Text(text.to_owned()));
        }
    }
}
