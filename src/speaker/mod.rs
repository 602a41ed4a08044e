//! Who spoke when: voice activity, segmentation with overlap, embeddings, clustering.
