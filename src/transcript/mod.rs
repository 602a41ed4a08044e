//! Transcripts: turns, speakers and words, one file a format, the format told by content.
