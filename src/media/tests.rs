//! Tests of the whole room on made clips and on the reference clips.
