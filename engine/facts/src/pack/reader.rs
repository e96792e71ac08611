use serde::de::value::U32Deserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, IntoDeserializer, Visitor};

use super::writer::LARGEST_TUPLE;
use super::{Field, JOINED_TEXT, KNOWN_TEXTS, Layout, NEW_TEXT, NO_VARIANT, ROOT, unzigzag};
use crate::DecodeError;

const CUT: DecodeError = DecodeError("packed value ends early");
const NO_SUCH_TEXT: DecodeError = DecodeError("packed value refers to a text that is not there");

// What is called for each value is marked for inlining: values are read where their types are, in other crates.

/// Puts together what [`super::pack`] sorted.
pub(crate) fn unpack<T: DeserializeOwned>(packed: &[u8]) -> Result<T, DecodeError> {
    let mut reader = Reader::new(packed)?;
    let value = T::deserialize(&mut reader)?;
    match reader.is_read() {
        true => Ok(value),
        false => Err(DecodeError("packed value has a rest")),
    }
}

struct Reader<'de> {
    layout: Layout,
    /// What is left of each column.
    columns: Vec<&'de [u8]>,
    /// The last number of each field.
    before: Vec<u64>,
    /// The field that is read.
    at: Field,
    /// What is left of the texts.
    texts: &'de str,
    known: Vec<Text<'de>>,
    /// The text before the last, and the last, by their places in `known`.
    last_texts: [usize; 2],
    /// The texts that are joined from others.
    joined: String,
}

#[derive(Clone, Copy)]
enum Text<'de> {
    Written(&'de str),
    /// From where to where in [`Reader::joined`].
    Joined(usize, usize),
}

impl<'de> Reader<'de> {
    fn new(mut packed: &'de [u8]) -> Result<Self, DecodeError> {
        let count = take_number(&mut packed)?;
        // Each column's length takes a byte.
        if count > packed.len() as u64 {
            return Err(CUT);
        }
        let lengths: Vec<u64> =
            (0..count).map(|_| take_number(&mut packed)).collect::<Result<_, DecodeError>>()?;
        let mut columns = Vec::with_capacity(lengths.len());
        for length in lengths {
            let length = usize::try_from(length).map_err(|_| CUT)?;
            let (column, rest) = packed.split_at_checked(length).ok_or(CUT)?;
            columns.push(column);
            packed = rest;
        }
        let texts = std::str::from_utf8(packed).map_err(|_| DecodeError("packed texts are not UTF-8"))?;
        let before = vec![0; columns.len() / 2 + 1];
        // Each text that is not joined has a length, which takes a byte.
        let known = Vec::with_capacity(columns.first().map_or(0, |lengths| lengths.len()));
        let joined = String::new();
        Ok(Self {
            layout: Layout::new(),
            columns,
            before,
            at: ROOT,
            texts,
            known,
            last_texts: [usize::MAX; 2],
            joined,
        })
    }

    fn is_read(&self) -> bool {
        self.texts.is_empty() && self.columns.iter().all(|column| column.is_empty())
    }

    #[inline]
    fn choice(&mut self) -> Result<u64, DecodeError> {
        take_number(self.columns.get_mut(2 * self.at).ok_or(CUT)?)
    }

    #[inline]
    fn length(&mut self) -> Result<usize, DecodeError> {
        usize::try_from(self.choice()?).map_err(|_| CUT)
    }

    #[inline]
    fn counted(&mut self) -> Result<&mut &'de [u8], DecodeError> {
        self.columns.get_mut(2 * self.at + 1).ok_or(CUT)
    }

    #[inline]
    fn number(&mut self) -> Result<u64, DecodeError> {
        let difference = unzigzag(take_number(self.counted()?)?);
        let before = self.before.get_mut(self.at).ok_or(CUT)?;
        *before = before.wrapping_add(difference as u64);
        Ok(*before)
    }

    #[inline]
    fn text(&mut self) -> Result<Text<'de>, DecodeError> {
        let place = match take_number(self.counted()?)? {
            NEW_TEXT => {
                let length = take_number(self.columns.first_mut().ok_or(CUT)?)?;
                let length = usize::try_from(length).map_err(|_| CUT)?;
                let (text, rest) = self.texts.split_at_checked(length).ok_or(NO_SUCH_TEXT)?;
                self.texts = rest;
                self.known.push(Text::Written(text));
                self.known.len() - 1
            }
            JOINED_TEXT => {
                let start = self.joined.len();
                let [first, second] = self.last_texts;
                self.append(first)?;
                self.joined.push('.');
                self.append(second)?;
                self.known.push(Text::Joined(start, self.joined.len()));
                self.known.len() - 1
            }
            code => usize::try_from(code - KNOWN_TEXTS).map_err(|_| NO_SUCH_TEXT)?,
        };
        self.last_texts = [self.last_texts[1], place];
        self.known.get(place).copied().ok_or(NO_SUCH_TEXT)
    }

    fn append(&mut self, place: usize) -> Result<(), DecodeError> {
        match *self.known.get(place).ok_or(NO_SUCH_TEXT)? {
            Text::Written(text) => self.joined.push_str(text),
            Text::Joined(start, end) => self.joined.extend_from_within(start..end),
        }
        Ok(())
    }

    #[inline]
    fn group(&mut self, name: &'static str, variant: u32, count: usize) -> Group<'_, 'de> {
        let field = self.layout.first_field(name, variant, count);
        Group { reader: self, field, step: 1, left: count }
    }

    /// Elements that all stand in the same field.
    #[inline]
    fn elements(&mut self, count: usize) -> Group<'_, 'de> {
        let field = self.at;
        Group { reader: self, field, step: 0, left: count }
    }
}

#[inline]
fn take_number(bytes: &mut &[u8]) -> Result<u64, DecodeError> {
    let (first, rest) = bytes.split_first().ok_or(CUT)?;
    if *first < 0x80 {
        *bytes = rest;
        return Ok(u64::from(*first));
    }
    let mut number = 0;
    for (at, byte) in bytes.iter().enumerate().take(10) {
        number |= u64::from(byte & 0x7F) << (7 * at);
        if *byte < 0x80 {
            *bytes = &bytes[at + 1..];
            return Ok(number);
        }
    }
    Err(CUT)
}

impl de::Error for DecodeError {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        DecodeError("packed value is of another type")
    }
}

macro_rules! numbers {
    ($($method:ident $visit:ident $ty:ty,)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            // Differences wrap, and so does what was widened from a smaller type.
            visitor.$visit(self.number()? as $ty)
        })*
    };
}

impl<'de> de::Deserializer<'de> for &mut Reader<'de> {
    type Error = DecodeError;

    numbers! {
        deserialize_u8 visit_u8 u8,
        deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32,
        deserialize_u64 visit_u64 u64,
        deserialize_i8 visit_i8 i8,
        deserialize_i16 visit_i16 i16,
        deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64,
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.choice()? {
            0 => visitor.visit_bool(false),
            1 => visitor.visit_bool(true),
            _ => Err(DecodeError("packed value is neither yes nor no")),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_f32(f32::from_bits(self.number()? as u32))
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_f64(f64::from_bits(self.number()?))
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let character = u32::try_from(self.number()?).ok().and_then(char::from_u32);
        visitor.visit_char(character.ok_or(DecodeError("packed value is no character"))?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.text()? {
            Text::Written(text) => visitor.visit_borrowed_str(text),
            Text::Joined(start, end) => visitor.visit_str(&self.joined[start..end]),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let length = self.length()?;
        let column = self.counted()?;
        let (bytes, rest) = column.split_at_checked(length).ok_or(CUT)?;
        *column = rest;
        visitor.visit_borrowed_bytes(bytes)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.choice()? {
            0 => visitor.visit_none(),
            1 => visitor.visit_some(self),
            _ => Err(DecodeError("packed value is neither there nor absent")),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let length = self.length()?;
        visitor.visit_seq(self.elements(length))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, DecodeError> {
        let at = self.at as u32;
        visitor.visit_seq(if length > LARGEST_TUPLE {
            self.elements(length)
        } else {
            self.group("", at, length)
        })
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_seq(self.group(name, NO_VARIANT, length))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let (left, at) = (self.length()?, self.at as u32);
        let key = self.layout.first_field("", at, 2);
        visitor.visit_map(Pairs { reader: self, key, left })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_seq(self.group(name, NO_VARIANT, fields.len()))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let variant =
            u32::try_from(self.choice()?).map_err(|_| DecodeError("packed value has no such variant"))?;
        visitor.visit_enum(Variant { reader: self, name, variant })
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, _: V) -> Result<V::Value, DecodeError> {
        Err(DecodeError("packed values have no names of fields"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, DecodeError> {
        Err(DecodeError("packed values do not say what they are"))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_any(visitor)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// The fields of a struct or the elements of a sequence, one after the other.
struct Group<'a, 'de> {
    reader: &'a mut Reader<'de>,
    field: Field,
    step: usize,
    left: usize,
}

impl<'de> de::SeqAccess<'de> for Group<'_, 'de> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DecodeError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        self.reader.at = self.field;
        self.field += self.step;
        seed.deserialize(&mut *self.reader).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// Keys and values of a map in turn.
struct Pairs<'a, 'de> {
    reader: &'a mut Reader<'de>,
    key: Field,
    left: usize,
}

impl<'de> de::MapAccess<'de> for Pairs<'_, 'de> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, DecodeError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        self.reader.at = self.key;
        seed.deserialize(&mut *self.reader).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, DecodeError> {
        self.reader.at = self.key + 1;
        seed.deserialize(&mut *self.reader)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

struct Variant<'a, 'de> {
    reader: &'a mut Reader<'de>,
    name: &'static str,
    variant: u32,
}

impl<'de> de::EnumAccess<'de> for Variant<'_, 'de> {
    type Error = DecodeError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), DecodeError> {
        let index: U32Deserializer<DecodeError> = self.variant.into_deserializer();
        Ok((seed.deserialize(index)?, self))
    }
}

impl<'de> de::VariantAccess<'de> for Variant<'_, 'de> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<(), DecodeError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, DecodeError> {
        let field = self.reader.layout.first_field(self.name, self.variant, 1);
        self.reader.at = field;
        seed.deserialize(self.reader)
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_seq(self.reader.group(self.name, self.variant, length))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_seq(self.reader.group(self.name, self.variant, fields.len()))
    }
}
