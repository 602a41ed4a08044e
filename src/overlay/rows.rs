//! Tables of frames read as the film goes on: a thread of its own reads the next part while the last is drawn, so that
//! what is held does not grow with the recording.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};

use crate::error::{Error, Result};
use crate::store::read::{StoredTable, read_metadata};
use crate::store::read_parts;

/// Rows that were read before the first frame asked for this much earlier are passed over.
const BEFORE_SECS: f64 = 1.0;
/// Distances of instants that tell how often the table looks.
const LOOKED_AT: usize = 400;

type Part<T> = Result<Vec<(f64, T)>>;

/// Rows of a table in order of time.
pub struct Rows<T> {
    parts: Receiver<Part<T>>,
    /// Rows from the last instant asked for on.
    held: VecDeque<(f64, T)>,
    /// How far from an instant of the table its rows are shown.
    reach: f64,
    ended: bool,
}

impl<T: Send + 'static> Rows<T> {
    /// Begins to read those of `columns` that the table has; `row` makes a row's time and value, `None` leaves it out.
    ///
    /// # Errors
    /// As [`crate::store::read::read`].
    pub fn open(
        path: &Path,
        is_read: fn(&str) -> bool,
        from: f64,
        row: fn(&StoredTable, usize) -> Option<(f64, T)>,
    ) -> Result<Self> {
        let schema = read_metadata(path)?;
        let columns: Vec<_> = schema.columns.iter().filter(|c| is_read(&c.name)).cloned().collect();
        let (sender, parts) = sync_channel::<Part<T>>(1);
        let table = path.to_owned();
        let read = move || {
            let mut gone = false;
            let result = read_parts(&table, &schema, &columns, |part| {
                // Whoever reads has gone, which cannot be told to the reader of parts.
                if gone {
                    return;
                }
                let rows = (0..part.rows()).filter_map(|i| row(part, i)).filter(|r| r.0 >= from - BEFORE_SECS);
                let rows: Vec<(f64, T)> = rows.collect();
                gone = !rows.is_empty() && sender.send(Ok(rows)).is_err();
            });
            if let Err(e) = result {
                let _ = sender.send(Err(e));
            }
        };
        std::thread::Builder::new()
            .name("table".into())
            .spawn(read)
            .map_err(|source| Error::Read { path: path.to_owned(), source })?;
        let mut rows = Rows { parts, held: VecDeque::new(), reach: 0.0, ended: false };
        rows.fill()?;
        rows.reach = 0.6 * rows.step();
        Ok(rows)
    }

    fn fill(&mut self) -> Result<()> {
        if !self.ended {
            match self.parts.recv() {
                Ok(part) => self.held.extend(part?),
                Err(_) => self.ended = true,
            }
        }
        Ok(())
    }

    /// The distance of instants that three in four do not exceed: where nobody is seen, there is none.
    fn step(&self) -> f64 {
        let mut steps: Vec<f64> =
            self.held.iter().zip(self.held.iter().skip(1)).map(|(a, b)| b.0 - a.0).filter(|s| *s > 0.0).collect();
        steps.truncate(LOOKED_AT);
        steps.sort_by(f64::total_cmp);
        steps.get(steps.len() * 3 / 4).copied().unwrap_or(0.1)
    }

    /// The rows of the table's instant nearest to `secs`, none where it is further than frames lie apart. Times asked
    /// for must rise.
    ///
    /// # Errors
    /// As [`crate::store::read::read`].
    pub fn at(&mut self, secs: f64) -> Result<impl Iterator<Item = &T>> {
        let reach = self.reach;
        self.advance(secs, reach)?;
        let nearest = self.held.iter().map(|r| r.0).take_while(|at| *at <= secs + reach);
        let nearest = nearest.min_by(|a, b| (a - secs).abs().total_cmp(&(b - secs).abs()));
        let nearest = nearest.filter(|at| (at - secs).abs() <= reach);
        Ok(self.held.iter().filter(move |r| Some(r.0) == nearest).map(|r| &r.1))
    }

    /// All rows at most `reach` from `secs`.
    ///
    /// # Errors
    /// As [`crate::store::read::read`].
    pub fn around(&mut self, secs: f64, reach: f64) -> Result<impl Iterator<Item = &T>> {
        self.advance(secs, reach)?;
        Ok(self.held.iter().take_while(move |r| r.0 <= secs + reach).map(|r| &r.1))
    }

    fn advance(&mut self, secs: f64, reach: f64) -> Result<()> {
        loop {
            while self.held.front().is_some_and(|r| r.0 < secs - reach) {
                self.held.pop_front();
            }
            if self.ended || self.held.back().is_some_and(|r| r.0 > secs + reach) {
                return Ok(());
            }
            self.fill()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::parquet::{FileMetadata, write};
    use crate::table::{ColumnSpec, Kind, TableBuilder, TableSchema};

    #[test]
    fn rows_come_with_the_frame_they_are_nearest_to_and_go_with_it() {
        let columns = ["pts_secs", "x", "never_read"].map(|name| ColumnSpec::new(name, Kind::F64, "", "y"));
        let mut t = TableBuilder::new(TableSchema { name: "t", description: "", columns: columns.to_vec() });
        // Two rows every 0.1 s, for ten minutes: more than one part. Nobody is seen from 10 to 20 s.
        for i in (0..20_000).filter(|i| !(200..400).contains(i)) {
            t.row().set("pts_secs", f64::from(i / 2) * 0.1).set("x", f64::from(i)).set("never_read", 1.0);
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        write(&path, &t.finish().unwrap(), &FileMetadata::default()).unwrap();
        let read = |table: &StoredTable, row: usize| {
            assert!(table.column("never_read").is_none());
            Some((table.number("pts_secs", row)?, table.number("x", row)?))
        };
        let mut rows = Rows::open(&path, |c| c != "never_read", 0.0, read).unwrap();
        let mut at = |secs: f64| rows.at(secs).unwrap().copied().collect::<Vec<f64>>();
        assert_eq!(at(0.0), [0.0, 1.0]);
        assert_eq!(at(0.04), [0.0, 1.0]);
        assert_eq!(at(0.08), [2.0, 3.0]);
        assert_eq!((at(9.94), at(9.98), at(15.0)), (vec![198.0, 199.0], vec![], vec![]));
        assert_eq!(at(900.0), [18_000.0, 18_001.0]);
        assert!(at(1001.0).is_empty());
        let mut later = Rows::open(&path, |_| true, 500.0, |t, row| Some((t.number("pts_secs", row)?, row))).unwrap();
        assert_eq!(later.around(500.0, 0.11).unwrap().count(), 6);
    }
}
