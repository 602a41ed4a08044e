//! Numbers as bytes, bit for bit: for results that are kept between runs (`#[serde(with = "crate::packed")]`).
//!
//! Every bit of a float comes back as it went in, those of NaN too. The bytes of a series are written in four planes,
//! first bytes first, so that a compressor finds the slowly changing ones side by side.

use serde::de::{Error as _, Visitor};
use serde::{Deserializer, Serializer};

/// What is written as bytes.
pub trait Packed: Sized {
    /// Appends its bytes.
    fn pack(&self, into: &mut Vec<u8>);

    /// Takes them back off the front; `None` where they are not what was written.
    fn unpack(from: &mut &[u8]) -> Option<Self>;
}

/// Serde's half that writes.
///
/// # Errors
/// The serializer's.
pub fn serialize<T: Packed, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    let mut bytes = Vec::new();
    value.pack(&mut bytes);
    to.serialize_bytes(&bytes)
}

/// Serde's half that reads.
///
/// # Errors
/// The deserializer's, and one for bytes that are none of this type's.
pub fn deserialize<'de, T: Packed, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    let bytes = from.deserialize_byte_buf(Bytes)?;
    let mut rest = bytes.as_slice();
    match T::unpack(&mut rest) {
        Some(value) if rest.is_empty() => Ok(value),
        _ => Err(D::Error::custom("packed numbers of another kind or length")),
    }
}

struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }

    fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
        Ok(bytes)
    }
}

/// The first `count` bytes, taken off.
fn take<'a>(from: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = from.split_at_checked(count)?;
    *from = rest;
    Some(taken)
}

impl Packed for Vec<f32> {
    fn pack(&self, into: &mut Vec<u8>) {
        into.extend((self.len() as u64).to_le_bytes());
        into.reserve(4 * self.len());
        for plane in 0..4 {
            into.extend(self.iter().map(|x| x.to_bits().to_be_bytes()[plane]));
        }
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let count = usize::try_from(u64::from_le_bytes(take(from, 8)?.try_into().ok()?)).ok()?;
        let bytes = take(from, count.checked_mul(4)?)?;
        let at = |i: usize| [0, 1, 2, 3].map(|plane| bytes[plane * count + i]);
        Some((0..count).map(|i| f32::from_bits(u32::from_be_bytes(at(i)))).collect())
    }
}

impl<const N: usize> Packed for [f32; N] {
    fn pack(&self, into: &mut Vec<u8>) {
        self.iter().for_each(|x| into.extend(x.to_bits().to_be_bytes()));
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let mut all = [0.0; N];
        for x in &mut all {
            *x = f32::from_bits(u32::from_be_bytes(take(from, 4)?.try_into().ok()?));
        }
        Some(all)
    }
}

impl<const N: usize, const M: usize> Packed for [[f32; M]; N] {
    fn pack(&self, into: &mut Vec<u8>) {
        self.iter().for_each(|row| row.pack(into));
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let mut all = [[0.0; M]; N];
        for row in &mut all {
            *row = <[f32; M]>::unpack(from)?;
        }
        Some(all)
    }
}

impl<const N: usize, const M: usize> Packed for Box<[[f32; M]; N]> {
    fn pack(&self, into: &mut Vec<u8>) {
        self.iter().for_each(|row| row.pack(into));
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let mut all = Box::new([[0.0; M]; N]);
        for row in all.iter_mut() {
            *row = <[f32; M]>::unpack(from)?;
        }
        Some(all)
    }
}

impl<const N: usize> Packed for [Vec<f32>; N] {
    fn pack(&self, into: &mut Vec<u8>) {
        self.iter().for_each(|column| column.pack(into));
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let mut all = [const { Vec::new() }; N];
        for column in &mut all {
            *column = Vec::unpack(from)?;
        }
        Some(all)
    }
}

impl<T: Packed> Packed for Option<T> {
    fn pack(&self, into: &mut Vec<u8>) {
        into.push(u8::from(self.is_some()));
        self.iter().for_each(|value| value.pack(into));
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        match take(from, 1)?.first()? {
            0 => Some(None),
            1 => T::unpack(from).map(Some),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back<T: Packed>(value: &T) -> (T, Vec<u8>) {
        let mut bytes = Vec::new();
        value.pack(&mut bytes);
        let mut rest = bytes.as_slice();
        let read = T::unpack(&mut rest).unwrap();
        assert!(rest.is_empty());
        // One byte less is told, whatever it is.
        assert!(bytes.is_empty() || T::unpack(&mut &bytes[..bytes.len() - 1]).is_none());
        (read, bytes)
    }

    #[test]
    fn every_bit_comes_back() {
        let odd = [0.0, -0.0, f32::MIN_POSITIVE / 2.0, f32::INFINITY, f32::NAN, f32::from_bits(0xffc1_2345), 1.1];
        let bits = |all: &[f32]| all.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let series = odd.to_vec();
        assert_eq!(bits(&back(&series).0), bits(&series));
        assert_eq!(bits(&back(&odd).0), bits(&odd));
        assert!(back(&Vec::<f32>::new()).0.is_empty());
        let columns = [series.clone(), Vec::new(), vec![2.0]];
        let read = back(&columns).0;
        assert_eq!((bits(&read[0]), &read[1..]), (bits(&series), &columns[1..]));
        assert_eq!(back(&Some([1.0_f32, f32::MAX])).0, Some([1.0, f32::MAX]));
        assert_eq!(back(&None::<[f32; 3]>).0, None);
        let points = Some(Box::new([[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]]));
        assert_eq!(back(&points).0, points);
        let rows = [[1.0_f32, -0.0], [f32::MIN, 3.0], [5.0, 6.0]];
        assert_eq!(back(&rows).0, rows);
    }

    #[test]
    fn a_length_that_is_not_there_is_refused() {
        let (_, mut bytes) = back(&vec![1.0_f32, 2.0]);
        bytes[0] = 3;
        assert!(Vec::<f32>::unpack(&mut bytes.as_slice()).is_none());
        bytes[..8].fill(0xff);
        assert!(Vec::<f32>::unpack(&mut bytes.as_slice()).is_none());
    }
}
