//! The only user of the Fourier transform's crate in this room.
