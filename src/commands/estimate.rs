//! `turnwise extract --estimate`: what a corpus takes on this machine, judged by its first minutes, which are done and
//! kept for it.

use std::path::Path;

use turnwise::corpus::{self, Counts, words_of_bytes, words_of_secs};
use turnwise::error::Result;
use turnwise::pipeline::{Against, Look, Making, Request};
use turnwise::recipe::Recipe;
use turnwise::store::parquet::FileMetadata;
use turnwise::text::counted;

/// Media that is done to judge by, in minutes: some interviews of usual length would take an hour, and less than this
/// is judged by how models are loaded.
const JUDGED_MINUTES: f64 = 5.0;

/// A corpus before its first minutes are done.
pub struct Estimate<'a> {
    out: &'a Path,
    all: Vec<Request>,
    recipe: &'a Recipe,
    metadata: &'a FileMetadata,
}

impl<'a> Estimate<'a> {
    /// Leaves in `requests` those to judge by: as many of the first as hold five minutes, those done already among
    /// them.
    pub fn begin(out: &'a Path, recipe: &'a Recipe, metadata: &'a FileMetadata, requests: &mut Vec<Request>) -> Self {
        let judged = corpus::within_minutes(out, requests, JUDGED_MINUTES);
        Estimate { out, all: std::mem::replace(requests, judged), recipe, metadata }
    }

    /// What all of it takes, once the first are done.
    ///
    /// # Errors
    /// Those of [`corpus::status`].
    pub fn told(&self, jobs: usize) -> Result<String> {
        let against = Against::new(Making::of(self.metadata), Some(self.recipe), Look::Ends);
        Ok(words(&corpus::status(self.out, Some(&self.all), &against)?.counts(jobs), jobs))
    }
}

fn words(counts: &Counts, jobs: usize) -> String {
    let jobs = counted(jobs, "job");
    let written = words_of_bytes(counts.bytes_written as f64);
    let to_do = counts.interviews - counts.done;
    let Some(left) = &counts.left else {
        return if to_do == 0 {
            format!("all {} interviews are done, {written} written", counts.interviews)
        } else {
            "nothing could be done to judge by: see what failed".into()
        };
    };
    let media =
        if left.media_secs > 0.0 { format!("{:.1} h of media, ", left.media_secs / 3600.0) } else { String::new() };
    let speed = counts.speed.map_or(String::new(), |s| format!(" ({s:.2} s of media in a second of each job)"));
    format!(
        "{to_do} of {} left, as file sizes tell: {media}about {} with {jobs}{speed}; {} more to write, {} in all",
        counts.interviews,
        words_of_secs(left.secs),
        words_of_bytes(left.bytes),
        words_of_bytes(counts.bytes_written as f64 + left.bytes),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_and_bytes_are_told_of_what_is_left_and_in_all() {
        let left = corpus::Estimate { media_secs: 36_000.0, secs: 12_000.0, bytes: 2e9 };
        let counts =
            Counts { interviews: 9, done: 2, bytes_written: 500_000_000, speed: Some(1.5), ..Counts::default() };
        let with = |left, done| words(&Counts { left, done, ..counts.clone() }, 2);
        let told = with(Some(left), 2);
        let all = "7 of 9 left, as file sizes tell: 10.0 h of media, about 3 h 20 min with 2 jobs (1.50 s of media in \
                   a second of each job); 2.0 GB more to write, 2.5 GB in all";
        assert_eq!(told, all);
        assert_eq!(with(None, 9), "all 9 interviews are done, 500 MB written");
        assert!(with(None, 0).starts_with("nothing could be done"));
    }
}
