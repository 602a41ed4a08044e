//! What the corpus says of an interview's people: their group, and each one's role.

use std::collections::BTreeMap;

use super::{Request, told};
use crate::recipe::Recipe;
use crate::text::clean_in_place;
use crate::transcript::Transcript;

/// Group as given in the manifest, else the RESCUE-bench group mode.
pub(super) fn group(request: &Request, recipe: &Recipe, transcript: Option<&Transcript>) -> Option<String> {
    let of_sample = || Some(transcript?.sample.as_ref()?.group_mode.name().to_owned());
    told::words(request, recipe, Vec::new()).1.or_else(of_sample)
}

/// Role by speaker as given in the manifest, else, in a RESCUE-bench sample, therapist or client.
pub(super) fn roles(request: &Request, transcript: Option<&Transcript>) -> BTreeMap<String, String> {
    let mut roles = transcript.and_then(|t| t.sample.as_ref()).map(|s| s.roles()).unwrap_or_default();
    for (speaker, role) in &request.roles {
        let mut role = role.clone();
        clean_in_place(&mut role);
        roles.insert(speaker.clone(), role);
    }
    roles
}
