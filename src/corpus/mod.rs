//! The corpus: its manifest, the workers that go through it, and what is done already.
