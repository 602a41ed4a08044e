//! Faces: detection, landmarks, blendshapes, head pose, identity and tracks.
