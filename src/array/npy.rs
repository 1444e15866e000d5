//! NumPy's `.npy` files: versions 1 to 3, C and Fortran order, whole numbers of 1 to 8 bytes,
//! truths
//! (as 0 and 1) and floats of 4 and 8 bytes, little and big endian. Written files are version 1.0,
//! C
//! order, `<i8` or `<f8`.
//!
//! The layout is that of NumPy's format description (numpy.lib.format): a magic string, two
//! version bytes, the header's length (2 bytes in version 1, 4 after), a Python dictionary of
//! `descr`, `fortran_order` and `shape`, then the words.

use crate::array::error::Problem;
use crate::array::{Array, Data};

const MAGIC: &[u8] = b"\x93NUMPY";

/// Reads a whole file.
///
/// ```
/// use atgpu::array::{Array, Data, npy};
///
/// let array = Array { shape: vec![2], data: Data::Float(vec![0.5, 1.5]) };
/// let read = npy::read(&npy::write(&array)).expect("what was written");
/// assert_eq!((read.shape, read.data), (array.shape, array.data));
/// assert!(npy::read(b"PK").is_err());
/// ```
///
/// # Errors
/// Bytes that do not fit the format, and data that do not fit their header.
pub fn read(bytes: &[u8]) -> Result<Array, Problem> {
    let (header, body) = split(bytes)?;
    let header = HeaderText::new(header).parse()?;
    let word = Word::parse(&header.descr).ok_or(Problem::WordType(header.descr))?;
    let words = header
        .shape
        .iter()
        .try_fold(1_usize, |product, &extent| product.checked_mul(extent))
        .ok_or(Problem::Size)?;
    let promised = words.checked_mul(word.bytes).ok_or(Problem::Size)?;
    if promised != body.len() {
        return Err(Problem::Length {
            promised,
            found: body.len(),
        });
    }
    let mut data = word.decode(body)?;
    if header.fortran_order {
        data = match data {
            Data::Int(words) => Data::Int(row_major(&words, &header.shape)),
            Data::Float(words) => Data::Float(row_major(&words, &header.shape)),
        };
    }
    Ok(Array {
        shape: header.shape,
        data,
    })
}

/// Writes a whole file.
pub fn write(array: &Array) -> Vec<u8> {
    let descr = match array.data {
        Data::Int(_) => "<i8",
        Data::Float(_) => "<f8",
    };
    let extents: Vec<String> = array.shape.iter().map(usize::to_string).collect();
    let shape = match extents.as_slice() {
        [only] => format!("({only},)"),
        many => format!("({})", many.join(", ")),
    };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    // Magic, version, length and header together fill a multiple of 64 bytes, the last a newline.
    let unpadded = MAGIC.len() + 4 + header.len() + 1;
    header.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
    header.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    // No array of ours has thousands of dimensions, so the length fits the two bytes of version 1.
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    match &array.data {
        Data::Int(words) => bytes.extend(words.iter().flat_map(|word| word.to_le_bytes())),
        Data::Float(words) => bytes.extend(words.iter().flat_map(|word| word.to_le_bytes())),
    }
    bytes
}

/// Splits a file into the header's text and the bytes behind it.
fn split(bytes: &[u8]) -> Result<(&[u8], &[u8]), Problem> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(Problem::NotNpy)?;
    let short = |needed: usize, found: usize| Problem::TruncatedHeader { needed, found };
    let (&[major, minor], rest) = rest.split_first_chunk().ok_or(short(2, rest.len()))?;
    let (length, rest) = match (major, minor) {
        (1, 0) => {
            let (length, rest) = rest.split_first_chunk().ok_or(short(2, rest.len()))?;
            (usize::from(u16::from_le_bytes(*length)), rest)
        }
        (2 | 3, 0) => {
            let (length, rest) = rest.split_first_chunk().ok_or(short(4, rest.len()))?;
            (u32::from_le_bytes(*length) as usize, rest)
        }
        _ => return Err(Problem::Version(major, minor)),
    };
    rest.split_at_checked(length)
        .ok_or(short(length, rest.len()))
}

struct Header {
    descr: String,
    fortran_order: bool,
    shape: Vec<usize>,
}

/// A reader for the Python dictionary of a header.
struct HeaderText<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> HeaderText<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        HeaderText { bytes, at: 0 }
    }

    fn parse(mut self) -> Result<Header, Problem> {
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        self.expect(b'{', "`{`")?;
        while !self.take(b'}') {
            let key = self.text()?;
            self.expect(b':', "`:`")?;
            match key {
                "descr" => descr = Some(self.text()?.to_owned()),
                "fortran_order" => fortran_order = Some(self.truth()?),
                "shape" => shape = Some(self.tuple()?),
                _ => return Err(self.fault("one of the keys descr, fortran_order, shape")),
            }
            if !self.take(b',') {
                self.expect(b'}', "`,` or `}`")?;
                break;
            }
        }
        self.skip_blanks();
        if self.at < self.bytes.len() {
            return Err(self.fault("nothing more"));
        }
        let (Some(descr), Some(fortran_order), Some(shape)) = (descr, fortran_order, shape) else {
            return Err(self.fault("all of the keys descr, fortran_order, shape"));
        };
        Ok(Header {
            descr,
            fortran_order,
            shape,
        })
    }

    fn fault(&self, expected: &'static str) -> Problem {
        Problem::Header {
            at: self.at,
            expected,
        }
    }

    fn skip_blanks(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        let there = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(there);
        there
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), Problem> {
        if self.take(byte) {
            Ok(())
        } else {
            Err(self.fault(expected))
        }
    }

    fn text(&mut self) -> Result<&'a str, Problem> {
        self.skip_blanks();
        let quote = match self.bytes.get(self.at) {
            Some(quote @ (b'\'' | b'"')) => *quote,
            _ => return Err(self.fault("a text in quotes")),
        };
        let rest = &self.bytes[self.at + 1..];
        let length = rest.iter().position(|byte| *byte == quote);
        let text = length.and_then(|length| std::str::from_utf8(&rest[..length]).ok());
        let text = text.ok_or(self.fault("a closed text in quotes"))?;
        self.at += text.len() + 2;
        Ok(text)
    }

    fn truth(&mut self) -> Result<bool, Problem> {
        self.skip_blanks();
        for (word, truth) in [("True", true), ("False", false)] {
            if self.bytes[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(truth);
            }
        }
        Err(self.fault("True or False"))
    }

    fn tuple(&mut self) -> Result<Vec<usize>, Problem> {
        self.expect(b'(', "`(`")?;
        let mut extents = Vec::new();
        while !self.take(b')') {
            self.skip_blanks();
            let digits = self.bytes[self.at..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            let text = std::str::from_utf8(&self.bytes[self.at..self.at + digits]).ok();
            let extent = text.and_then(|text| text.parse().ok());
            extents.push(extent.ok_or(self.fault("an extent"))?);
            self.at += digits;
            if !self.take(b',') {
                self.expect(b')', "`,` or `)`")?;
                break;
            }
        }
        Ok(extents)
    }
}

/// The format of a stored word.
struct Word {
    kind: Kind,
    bytes: usize,
    big_endian: bool,
}

enum Kind {
    Signed,
    Unsigned,
    Truth,
    Float,
}

impl Word {
    /// Parses `<i8`, `|u1`, `>f4` and the like.
    fn parse(descr: &str) -> Option<Word> {
        let mut letters = descr.chars();
        let (order, kind, size) = (letters.next()?, letters.next()?, letters.as_str());
        let bytes: usize = size.parse().ok()?;
        let (kind, sizes): (Kind, &[usize]) = match kind {
            'i' => (Kind::Signed, &[1, 2, 4, 8]),
            'u' => (Kind::Unsigned, &[1, 2, 4, 8]),
            'b' => (Kind::Truth, &[1]),
            'f' => (Kind::Float, &[4, 8]),
            _ => return None,
        };
        let big_endian = match order {
            '<' | '=' => false,
            '>' => true,
            '|' if bytes == 1 => false,
            _ => return None,
        };
        sizes.contains(&bytes).then_some(Word {
            kind,
            bytes,
            big_endian,
        })
    }

    fn decode(&self, body: &[u8]) -> Result<Data, Problem> {
        let patterns = body.chunks_exact(self.bytes).map(|word| {
            let mut pattern = [0; 8];
            pattern[..self.bytes].copy_from_slice(word);
            if self.big_endian {
                pattern[..self.bytes].reverse();
            }
            u64::from_le_bytes(pattern)
        });
        match self.kind {
            Kind::Float if self.bytes == 4 => Ok(Data::Float(
                patterns
                    .map(|pattern| f64::from(f32::from_bits(pattern as u32)))
                    .collect(),
            )),
            Kind::Float => Ok(Data::Float(patterns.map(f64::from_bits).collect())),
            Kind::Signed => {
                // Shifting up and down again extends the sign: the byte ff is 255, and −1 after
                // shifting by 56.
                let unused = 64 - 8 * self.bytes as u32;
                let extended = |pattern: u64| ((pattern << unused) as i64) >> unused;
                Ok(Data::Int(patterns.map(extended).collect()))
            }
            Kind::Truth => Ok(Data::Int(patterns.map(|it| (it != 0).into()).collect())),
            Kind::Unsigned => patterns
                .enumerate()
                .map(|(index, value)| {
                    i64::try_from(value).map_err(|_| Problem::Unsigned { index, value })
                })
                .collect::<Result<_, _>>()
                .map(Data::Int),
        }
    }
}

/// Puts words in Fortran order (the first index runs fastest) into row-major order.
fn row_major<T: Copy>(words: &[T], shape: &[usize]) -> Vec<T> {
    // Walks the indices in row-major order and looks up each word at Σ index · stride, with the
    // strides
    // of Fortran order: 1, n₁, n₁·n₂, …
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = 1;
    for extent in shape {
        strides.push(stride);
        stride *= extent;
    }
    let mut index = vec![0; shape.len()];
    let mut out = Vec::with_capacity(words.len());
    for _ in 0..words.len() {
        let at: usize = index
            .iter()
            .zip(&strides)
            .map(|(i, stride)| i * stride)
            .sum();
        out.push(words[at]);
        for (place, extent) in index.iter_mut().zip(shape).rev() {
            *place += 1;
            if *place < *extent {
                break;
            }
            *place = 0;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(descr: &str, fortran: &str, shape: &str, body: &[u8]) -> Vec<u8> {
        let header =
            format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
        let mut bytes = MAGIC.to_vec();
        bytes.extend([2, 0]);
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(body);
        bytes
    }

    #[test]
    fn what_is_written_is_read_back() {
        for (shape, data) in [
            (vec![3], Data::Int(vec![i64::MIN, -1, i64::MAX])),
            (vec![2, 2], Data::Float(vec![0.1, -0.0, f64::INFINITY, 4.0])),
            (vec![], Data::Int(vec![7])),
            (vec![0, 5], Data::Int(vec![])),
        ] {
            let array = Array { shape, data };
            let bytes = write(&array);
            assert_eq!(read(&bytes).as_ref(), Ok(&array));
            let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
            assert_eq!((header % 64, bytes[header - 1]), (0, b'\n'));
        }
    }

    #[test]
    fn every_word_type_and_order() {
        let ints = |descr: &str, body: &[u8]| match read(&file(descr, "False", "(2,)", body)) {
            Ok(Array {
                data: Data::Int(words),
                ..
            }) => words,
            other => panic!("{descr}: {other:?}"),
        };
        assert_eq!(ints("|i1", &[0xff, 0x7f]), [-1, 127]);
        assert_eq!(ints("|u1", &[0xff, 0x7f]), [255, 127]);
        assert_eq!(ints("|b1", &[1, 0]), [1, 0]);
        assert_eq!(ints("<i2", &[0xfe, 0xff, 1, 0]), [-2, 1]);
        assert_eq!(ints(">i2", &[0xff, 0xfe, 0, 1]), [-2, 1]);
        assert_eq!(ints("<u2", &[0xfe, 0xff, 1, 0]), [65534, 1]);
        assert_eq!(
            ints(">u4", &[0, 0, 1, 0, 0xff, 0, 0, 0]),
            [256, 0xff00_0000]
        );
        assert_eq!(ints("<i4", &[0xff, 0xff, 0xff, 0xff, 5, 0, 0, 0]), [-1, 5]);
        let body: Vec<u8> = [1_i64, -9].iter().flat_map(|w| w.to_be_bytes()).collect();
        assert_eq!(ints(">i8", &body), [1, -9]);
        let floats = |descr: &str, body: Vec<u8>| read(&file(descr, "False", "(2,)", &body));
        let body: Vec<u8> = [0.5_f32, -3.0]
            .iter()
            .flat_map(|w| w.to_be_bytes())
            .collect();
        let expected = Data::Float(vec![0.5, -3.0]);
        assert_eq!(
            floats(">f4", body).map(|array| array.data),
            Ok(expected.clone())
        );
        let body: Vec<u8> = [0.5_f64, -3.0]
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect();
        assert_eq!(floats("<f8", body).map(|array| array.data), Ok(expected));
    }

    #[test]
    fn fortran_order_is_turned_round() {
        // [[0, 1, 2], [3, 4, 5]] stored column by column.
        let found = read(&file("|i1", "True", "(2, 3)", &[0, 3, 1, 4, 2, 5])).expect("fine");
        assert_eq!(found.data, Data::Int(vec![0, 1, 2, 3, 4, 5]));
        let three = read(&file("|i1", "True", "(2, 1, 2)", &[0, 2, 1, 3])).expect("fine");
        assert_eq!(three.data, Data::Int(vec![0, 1, 2, 3]));
    }

    #[test]
    fn files_that_lie_are_told_so() {
        assert_eq!(read(b"PK\x03\x04"), Err(Problem::NotNpy));
        assert_eq!(read(b"\x93NUMPY\x04\x00  "), Err(Problem::Version(4, 0)));
        assert!(matches!(
            read(b"\x93NUMPY\x01\x00\xff\xff{"),
            Err(Problem::TruncatedHeader {
                needed: 65535,
                found: 1
            })
        ));
        assert!(matches!(
            read(b"\x93NUMPY\x01"),
            Err(Problem::TruncatedHeader { .. })
        ));
        assert_eq!(
            read(&file("<i8", "False", "(3,)", &[0; 16])),
            Err(Problem::Length {
                promised: 24,
                found: 16
            })
        );
        assert_eq!(
            read(&file("<i8", "False", "(4294967296, 4294967296, 8)", &[])),
            Err(Problem::Size)
        );
        for descr in ["<c16", "|O", "<f2", "<i3", "|i8", "i8", "", "<U4"] {
            let found = read(&file(descr, "False", "(0,)", &[]));
            assert_eq!(found, Err(Problem::WordType(descr.into())), "{descr}");
        }
        assert_eq!(
            read(&file("<u8", "False", "(1,)", &[0xff; 8])),
            Err(Problem::Unsigned {
                index: 0,
                value: u64::MAX
            })
        );
        for shape in ["(1", "(-1,)", "(99999999999999999999,)", "1", "(1 2)"] {
            let found = read(&file("|i1", "False", shape, &[0]));
            assert!(
                matches!(found, Err(Problem::Header { .. })),
                "{shape}: {found:?}"
            );
        }
        assert!(matches!(
            read(&file("|i1", "false", "(1,)", &[0])),
            Err(Problem::Header { .. })
        ));
    }

    /// No bytes, however broken, panic: every prefix and every single changed byte is tried.
    #[test]
    fn broken_bytes_never_panic() {
        let good = file("<i2", "True", "(1, 2)", &[1, 2, 3, 4]);
        for end in 0..good.len() {
            let _ = read(&good[..end]);
            for byte in [0, b'(', b'\'', 0xff] {
                let mut changed = good.clone();
                changed[end] = byte;
                let _ = read(&changed);
            }
        }
    }
}
