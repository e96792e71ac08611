//! Written types as text again, for base types that do not resolve.

use bindery_facts::{Name, Segment, TypeExpr};

/// How deep a type is written out before the rest is `…`.
const MAX_NESTING: u32 = 8;

/// A type in the common spelling of its language, `separator` between the segments of paths.
pub fn written_text(ty: &TypeExpr, separator: &str) -> Name {
    let mut text = String::new();
    Writer { text: &mut text, separator }.ty(ty, 0);
    text.into()
}

struct Writer<'w> {
    text: &'w mut String,
    separator: &'w str,
}

impl Writer<'_> {
    fn ty(&mut self, ty: &TypeExpr, nesting: u32) {
        if nesting > MAX_NESTING {
            return self.text.push('…');
        }
        let inner = nesting + 1;
        match ty {
            TypeExpr::Unknown => self.text.push('_'),
            TypeExpr::Never => self.text.push('!'),
            TypeExpr::Path(segments) => self.path(segments, inner),
            TypeExpr::Ref(ty) => {
                self.text.push('&');
                self.ty(ty, inner);
            }
            TypeExpr::Tuple(parts) => self.list("(", parts, ", ", ")", inner),
            TypeExpr::Slice(ty) => self.list("[", std::slice::from_ref(ty), "", "]", inner),
            TypeExpr::Function { params, returns } => {
                self.list("(", params, ", ", ")", inner);
                if let Some(ty) = returns {
                    self.text.push_str(" -> ");
                    self.ty(ty, inner);
                }
            }
            TypeExpr::Union(members) => self.list("", members, " | ", "", inner),
            TypeExpr::Optional(ty) => {
                self.ty(ty, inner);
                self.text.push('?');
            }
            TypeExpr::Dyn(bounds) => self.list("dyn ", bounds, " + ", "", inner),
            TypeExpr::Opaque(bounds) => self.list("impl ", bounds, " + ", "", inner),
            TypeExpr::Qualified { ty, of_trait, rest } => {
                self.text.push('<');
                self.ty(ty, inner);
                if let Some(of_trait) = of_trait {
                    self.text.push_str(" as ");
                    self.ty(of_trait, inner);
                }
                self.text.push('>');
                self.text.push_str(self.separator);
                self.path(rest, inner);
            }
            TypeExpr::ClassOf(ty) => self.list("type[", std::slice::from_ref(ty), "", "]", inner),
        }
    }

    fn path(&mut self, segments: &[Segment], nesting: u32) {
        for (index, segment) in segments.iter().enumerate() {
            if index > 0 {
                self.text.push_str(self.separator);
            }
            self.text.push_str(&segment.name);
            match segment.args.as_slice() {
                [] => {}
                [function @ TypeExpr::Function { .. }] => self.ty(function, nesting),
                args if self.separator == "." => self.list("[", args, ", ", "]", nesting),
                args => self.list("<", args, ", ", ">", nesting),
            }
        }
    }

    fn list(&mut self, open: &str, types: &[TypeExpr], between: &str, close: &str, nesting: u32) {
        self.text.push_str(open);
        for (index, ty) in types.iter().enumerate() {
            if index > 0 {
                self.text.push_str(between);
            }
            self.ty(ty, nesting);
        }
        self.text.push_str(close);
    }
}
