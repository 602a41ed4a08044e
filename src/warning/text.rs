//! Warnings by their texts: the code each begins with, and what is kept of them with a result that a later run uses
//! again, for tables tell nothing else.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Warning;

impl Warning {
    /// Short stable code, the first word of the text in the tables.
    pub fn code(&self) -> String {
        let mut text = self.to_string();
        text.truncate(text.find(':').unwrap_or(text.len()));
        text
    }
}

impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Warning {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(|text| Warning::Earlier { text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_read_back_reads_the_same_and_has_the_same_code() {
        let warning = Warning::NoStream { stream: "audio", undecodable: Some("0 of codec x".into()) };
        let read: Warning = serde_json::from_str(&serde_json::to_string(&warning).unwrap()).unwrap();
        assert_eq!((read.to_string(), read.code()), (warning.to_string(), "no_stream".to_owned()));
    }
}
