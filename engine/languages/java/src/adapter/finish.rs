//! What can only be said when the whole file was read: unique qualnames, which names are fields, and
//! which expressions are needed at all.

use std::sync::Arc;

use bindery_facts::{
    Access, Bodies, Decl, DeclIndex, Expr, ExprIndex, Exprs, FileFacts, Language, Name, Summary, Variable,
};
use bindery_syntax::{Claim, Prefix, doc_comment, unique_qualnames};
use rustc_hash::FxHashSet;

use super::reader::Reader;

impl Reader<'_> {
    /// The facts of the file that was walked.
    pub(super) fn finish(mut self) -> FileFacts {
        self.bodies.bindings.sort_by_key(|binding| binding.at);
        let accesses = self.field_accesses();
        self.bodies.accesses.extend(accesses);
        self.bodies.accesses.sort_by_key(|access| access.expr);
        let claims: Vec<Claim> = self
            .decls
            .iter()
            .map(|draft| Claim {
                prefix: draft.owner.map_or(Prefix::Top, |owner| Prefix::Decl(owner.0)),
                spellings: draft.spellings.clone(),
            })
            .collect();
        let qualnames = unique_qualnames(&claims);
        let name_of = |decl: DeclIndex| qualnames[decl.0 as usize].clone();
        let variables = self.variables.into_iter().map(|draft| Variable {
            name: draft.name,
            owner: name_of(draft.owner),
            kind: draft.kind,
            ty: draft.ty,
            value: None,
            assigned_in: Name::default(),
            visibility: draft.visibility,
            is_mutable: draft.is_mutable,
        });
        let variables = variables.collect();
        let (mut decls, mut texts) = (Vec::new(), Vec::new());
        for (draft, qualname) in self.decls.into_iter().zip(&qualnames) {
            let owner = draft.owner.map(name_of).unwrap_or_default();
            decls.push(Decl { qualname: qualname.clone(), owner, ..draft.decl });
            texts.push(draft.text);
        }
        let package = self.package.unwrap_or_default();
        let is_test = decls.iter().any(|decl| decl.flags.is_test);
        // What a file is for stands before its first type.
        let first = texts.iter().zip(&decls).find(|(_, decl)| decl.owner.is_empty());
        let doc = match first {
            Some((text, _)) => text.doc.clone(),
            None => self.package_doc.and_then(|doc| doc_comment::leading_paragraphs(&doc)),
        };
        let summary = Summary {
            language: Language::Java,
            decls,
            imports: self.imports,
            variables,
            exports: None,
            marks: if package.is_empty() { Vec::new() } else { vec![format!("package {package}").into()] },
        };
        FileFacts {
            doc,
            line_count: self.lines.count(),
            first_error: self.tree.first_error().map(|at| self.lines.line(at)),
            summary: Arc::new(summary),
            texts,
            bodies: needed_only(self.bodies),
            is_entry_point: self.is_entry_point,
            is_test,
        }
    }

    /// The accesses of simple names that may mean a field of a type of this file or one that a static
    /// import names.
    fn field_accesses(&mut self) -> Vec<Access> {
        let fields = self.variables.iter().map(|draft| &draft.name);
        let imported = self.imports.iter().filter(|import| import.is_member);
        let imported = imported.filter_map(|import| import.path.last());
        let names: FxHashSet<&Name> = fields.chain(imported).collect();
        let is_wanted = |access: &&Access| match self.bodies.exprs.get(access.expr) {
            Expr::Name { name, .. } => names.contains(name),
            _ => false,
        };
        let line = |access: &Access| Access { line: self.lines.line(access.line), ..access.clone() };
        self.name_accesses.iter().filter(is_wanted).map(line).collect()
    }
}

/// Leaves out every expression that no site, binding or access needs.
fn needed_only(mut bodies: Bodies) -> Bodies {
    let mut is_needed = vec![false; bodies.exprs.0.len()];
    let mut need = |expr: ExprIndex| is_needed[expr.0 as usize] = true;
    bodies.sites.iter().for_each(|site| need(site.expr));
    bodies.accesses.iter().for_each(|access| need(access.expr));
    bodies.bindings.iter().filter_map(|binding| binding.value).for_each(need);
    // Children come before their parents, so one pass from the end reaches all.
    for index in (0..is_needed.len()).rev() {
        if is_needed[index] {
            bodies.exprs.0[index].children(|child| is_needed[child.0 as usize] = true);
        }
    }
    let mut places = vec![ExprIndex(0); is_needed.len()];
    let mut kept = Exprs::default();
    for (index, mut expr) in std::mem::take(&mut bodies.exprs).0.into_iter().enumerate() {
        if is_needed[index] {
            expr.map_children(&mut |child| places[child.0 as usize]);
            places[index] = kept.push(expr);
        }
    }
    let place = |expr: &mut ExprIndex| *expr = places[expr.0 as usize];
    bodies.sites.iter_mut().for_each(|site| place(&mut site.expr));
    bodies.accesses.iter_mut().for_each(|access| place(&mut access.expr));
    bodies.bindings.iter_mut().filter_map(|binding| binding.value.as_mut()).for_each(place);
    bodies.exprs = kept;
    bodies
}
