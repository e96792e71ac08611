use std::cell::RefCell;

use rustc_hash::FxHashMap;
use serde::ser::{self, Serialize};

use super::{Field, JOINED_TEXT, KNOWN_TEXTS, Layout, NEW_TEXT, NO_VARIANT, ROOT, zigzag};
use crate::{DecodeError, Name};

thread_local! {
    /// The columns of the value before, empty, for their room: a small value has a hundred of a few bytes.
    static COLUMNS: RefCell<Vec<Vec<u8>>> = RefCell::default();
}

/// Above so many bytes the room of a value's columns is given back.
const MOST_KEPT: usize = 1 << 20;

/// Sorts a value into columns.
pub(crate) fn pack<T: Serialize>(value: &T) -> Vec<u8> {
    let mut writer = Writer {
        layout: Layout::new(),
        columns: COLUMNS.take(),
        before: Vec::with_capacity(128),
        at: ROOT,
        known: FxHashMap::default(),
        last_texts: [None, None],
        texts: String::new(),
    };
    writer.make_room();
    value.serialize(&mut writer).expect("facts hold only plain values, sequences of known length and texts");
    writer.finish()
}

struct Writer {
    layout: Layout,
    /// Two for each field: what chooses, what counts.
    columns: Vec<Vec<u8>>,
    /// The last number of each field.
    before: Vec<u64>,
    /// The field that is written.
    at: Field,
    known: FxHashMap<Name, u64>,
    /// The text before the last, and the last.
    last_texts: [Option<Name>; 2],
    texts: String,
}

impl Writer {
    fn finish(mut self) -> Vec<u8> {
        let used = self.columns.iter().rposition(|column| !column.is_empty()).map_or(0, |last| last + 1);
        let columns = &self.columns[..used];
        let total: usize = columns.iter().map(|column| column.len() + 2).sum();
        let mut packed = Vec::with_capacity(total + self.texts.len() + 4);
        push_number(&mut packed, used as u64);
        columns.iter().for_each(|column| push_number(&mut packed, column.len() as u64));
        columns.iter().for_each(|column| packed.extend_from_slice(column));
        packed.extend_from_slice(self.texts.as_bytes());
        if total <= MOST_KEPT {
            self.columns.iter_mut().for_each(Vec::clear);
            COLUMNS.set(self.columns);
        }
        packed
    }

    /// The first field of a type; afterwards all its columns are there.
    fn first_field(&mut self, name: &'static str, variant: u32, count: usize) -> Field {
        let first = self.layout.first_field(name, variant, count);
        self.make_room();
        first
    }

    fn make_room(&mut self) {
        if self.before.len() < self.layout.fields {
            self.before.resize(self.layout.fields, 0);
            let columns = self.columns.len().max(2 * self.layout.fields);
            self.columns.resize_with(columns, Vec::new);
        }
    }

    fn choice(&mut self, number: u64) {
        push_number(&mut self.columns[2 * self.at], number);
    }

    fn number(&mut self, number: u64) {
        let difference = number.wrapping_sub(std::mem::replace(&mut self.before[self.at], number));
        push_number(&mut self.columns[2 * self.at + 1], zigzag(difference as i64));
    }

    fn text(&mut self, text: &str) {
        let name = Name::new(text);
        let next = KNOWN_TEXTS + self.known.len() as u64;
        let code = match self.known.get(&name) {
            Some(code) => *code,
            None => {
                self.known.insert(name.clone(), next);
                if self.is_joined(text) {
                    JOINED_TEXT
                } else {
                    push_number(&mut self.columns[0], text.len() as u64);
                    self.texts.push_str(text);
                    NEW_TEXT
                }
            }
        };
        push_number(&mut self.columns[2 * self.at + 1], code);
        self.last_texts = [self.last_texts[1].take(), Some(name)];
    }

    fn is_joined(&self, text: &str) -> bool {
        let [Some(first), Some(second)] = &self.last_texts else { return false };
        text.strip_prefix(&**first).and_then(|rest| rest.strip_prefix('.')) == Some(&**second)
    }

    fn group(&mut self, name: &'static str, variant: u32, count: usize) -> Group<'_> {
        let field = self.first_field(name, variant, count);
        Group { writer: self, field, step: 1 }
    }

    /// Elements that all stand in the same field.
    fn elements(&mut self) -> Group<'_> {
        let field = self.at;
        Group { writer: self, field, step: 0 }
    }
}

fn push_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

impl ser::Error for DecodeError {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        DecodeError("value cannot be packed")
    }
}

/// A tuple above this size is a sequence: its elements are all of one meaning.
pub(super) const LARGEST_TUPLE: usize = 8;

/// The fields of a struct or the elements of a sequence, one after the other.
struct Group<'a> {
    writer: &'a mut Writer,
    field: Field,
    step: usize,
}

impl Group<'_> {
    fn write<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), DecodeError> {
        self.writer.at = self.field;
        self.field += self.step;
        value.serialize(&mut *self.writer)
    }
}

macro_rules! numbers {
    ($($method:ident $ty:ty,)*) => {
        $(fn $method(self, value: $ty) -> Result<(), DecodeError> {
            self.number(value as u64);
            Ok(())
        })*
    };
}

impl<'a> ser::Serializer for &'a mut Writer {
    type Ok = ();
    type Error = DecodeError;
    type SerializeSeq = Group<'a>;
    type SerializeTuple = Group<'a>;
    type SerializeTupleStruct = Group<'a>;
    type SerializeTupleVariant = Group<'a>;
    type SerializeMap = Pairs<'a>;
    type SerializeStruct = Group<'a>;
    type SerializeStructVariant = Group<'a>;

    numbers! {
        serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64,
        serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64,
        serialize_char char,
    }

    fn serialize_bool(self, value: bool) -> Result<(), DecodeError> {
        self.choice(u64::from(value));
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), DecodeError> {
        self.number(u64::from(value.to_bits()));
        Ok(())
    }

    fn serialize_f64(self, value: f64) -> Result<(), DecodeError> {
        self.number(value.to_bits());
        Ok(())
    }

    fn serialize_str(self, value: &str) -> Result<(), DecodeError> {
        self.text(value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), DecodeError> {
        self.choice(value.len() as u64);
        self.columns[2 * self.at + 1].extend_from_slice(value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), DecodeError> {
        self.serialize_bool(false)
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<(), DecodeError> {
        self.choice(1);
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), DecodeError> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), DecodeError> {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, index: u32, _: &'static str) -> Result<(), DecodeError> {
        self.choice(u64::from(index));
        Ok(())
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), DecodeError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        name: &'static str,
        index: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), DecodeError> {
        self.choice(u64::from(index));
        self.group(name, index, 1).write(value)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Group<'a>, DecodeError> {
        self.choice(length.ok_or(DecodeError("sequence of unknown length"))? as u64);
        Ok(self.elements())
    }

    fn serialize_tuple(self, length: usize) -> Result<Group<'a>, DecodeError> {
        let at = self.at as u32;
        Ok(if length > LARGEST_TUPLE { self.elements() } else { self.group("", at, length) })
    }

    fn serialize_tuple_struct(self, name: &'static str, length: usize) -> Result<Group<'a>, DecodeError> {
        Ok(self.group(name, NO_VARIANT, length))
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        index: u32,
        _: &'static str,
        length: usize,
    ) -> Result<Group<'a>, DecodeError> {
        self.choice(u64::from(index));
        Ok(self.group(name, index, length))
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Pairs<'a>, DecodeError> {
        self.choice(length.ok_or(DecodeError("map of unknown length"))? as u64);
        let at = self.at as u32;
        let key = self.first_field("", at, 2);
        Ok(Pairs { writer: self, key })
    }

    fn serialize_struct(self, name: &'static str, length: usize) -> Result<Group<'a>, DecodeError> {
        Ok(self.group(name, NO_VARIANT, length))
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        _: &'static str,
        length: usize,
    ) -> Result<Group<'a>, DecodeError> {
        self.choice(u64::from(index));
        Ok(self.group(name, index, length))
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// Keys and values of a map in turn.
struct Pairs<'a> {
    writer: &'a mut Writer,
    key: Field,
}

impl ser::SerializeMap for Pairs<'_> {
    type Ok = ();
    type Error = DecodeError;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<(), DecodeError> {
        self.writer.at = self.key;
        key.serialize(&mut *self.writer)
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), DecodeError> {
        self.writer.at = self.key + 1;
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<(), DecodeError> {
        Ok(())
    }
}

macro_rules! group {
    ($($trait:ident $method:ident $($key:ty)?,)*) => {
        $(impl ser::$trait for Group<'_> {
            type Ok = ();
            type Error = DecodeError;

            fn $method<T: ?Sized + Serialize>(&mut self, $(_: $key,)? value: &T) -> Result<(), DecodeError> {
                self.write(value)
            }

            fn end(self) -> Result<(), DecodeError> {
                Ok(())
            }
        })*
    };
}

group! {
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field,
    SerializeStruct serialize_field &'static str,
    SerializeStructVariant serialize_field &'static str,
}
