//! What can only be said when the whole file was read: unique qualnames, the values of variables,
//! which names are module variables, and which expressions are needed at all.

use std::sync::Arc;

use bindery_facts::{
    Access, Bodies, DeclIndex, Expr, ExprIndex, Exprs, FileFacts, Language, Name, ParamKind, Summary,
    Variable, VariableKind, Visibility,
};
use bindery_syntax::{Claim, Prefix, Spelling, doc_comment, unique_qualnames};
use rustc_hash::FxHashSet;

use super::declarations::DeclDraft;
use super::reader::{Reader, VariableDraft};
use super::type_variables::TypeVariables;
use super::values::ValueCutter;

impl Reader<'_> {
    /// The facts of the file that was walked.
    pub(super) fn finish(mut self) -> FileFacts {
        let doc = self.tree.children(0).next().and_then(|first| self.docstring(first));
        self.bodies.bindings.sort_by_key(|binding| binding.at);
        let qualnames = unique_qualnames(&claims(&self.decls));
        let name_of =
            |decl: Option<DeclIndex>| decl.map(|decl| qualnames[decl.0 as usize].clone()).unwrap_or_default();
        let cutter = ValueCutter::new(&self.bodies, &self.infos);
        let changed = self.changed_module_variables(&cutter);
        let variables = self.variables.iter().map(|draft| {
            let value = draft.value.and_then(|value| cutter.cut(value));
            variable(draft, value, &changed, &name_of)
        });
        let variables: Vec<Variable> = variables.collect();
        let results: Vec<Option<Exprs>> = self.decls.iter().map(|draft| result(draft, &cutter)).collect();
        let name_accesses = self.module_accesses(&cutter);
        drop(cutter);

        let mut decls = Vec::with_capacity(self.decls.len());
        let mut texts = Vec::with_capacity(self.decls.len());
        for (index, (draft, result)) in std::mem::take(&mut self.decls).into_iter().zip(results).enumerate() {
            let mut decl = draft.decl;
            decl.qualname = qualnames[index].clone();
            decl.owner = name_of(draft.owner);
            decl.result = result;
            decls.push(decl);
            texts.push(draft.text);
        }
        TypeVariables::new(&variables).add_to(&mut decls);
        let imports = std::mem::take(&mut self.imports).into_iter().map(|(mut import, owner)| {
            import.owner = name_of(owner);
            import
        });
        let summary = Summary {
            language: Language::Python,
            imports: imports.collect(),
            exports: self.exports.names.take().filter(|_| !self.exports.is_open),
            marks: Vec::new(),
            variables,
            decls,
        };
        self.bodies.accesses.extend(name_accesses);
        self.bodies.accesses.sort_by_key(|access| access.expr);
        FileFacts {
            is_test: is_test(&summary),
            is_entry_point: self.is_entry_point,
            doc: doc.and_then(|doc| doc_comment::leading_paragraphs(&doc)),
            line_count: self.lines.count(),
            first_error: self.tree.first_error().map(|at| self.lines.line(at)),
            summary: Arc::new(summary),
            texts,
            bodies: needed_only(self.bodies),
        }
    }

    /// Module variables that change after they were first set: rebound through `global`, augmented,
    /// changed in place, or set twice on one way through the file.
    fn changed_module_variables(&self, cutter: &ValueCutter<'_>) -> FxHashSet<Name> {
        let mut changed = FxHashSet::default();
        let mut set: FxHashSet<&Name> = FxHashSet::default();
        for draft in self.variables.iter().filter(|draft| draft.owner.is_none()) {
            let is_second = !draft.is_conditional && !set.insert(&draft.name);
            if draft.is_change || is_second {
                changed.insert(draft.name.clone());
            }
        }
        for access in self.name_accesses.iter().filter(|access| access.is_write) {
            if let Expr::Name { name, scope, .. } = self.bodies.exprs.get(access.expr)
                && !cutter.is_local(*scope, name)
            {
                changed.insert(name.clone());
            }
        }
        changed
    }

    /// The accesses of names that mean variables of this module or may mean those of another.
    fn module_accesses(&self, cutter: &ValueCutter<'_>) -> Vec<Access> {
        let own = self.variables.iter().filter(|draft| draft.owner.is_none()).map(|draft| &draft.name);
        let imported = self.imports.iter().filter(|(import, _)| import.is_member).filter_map(
            |(import, _)| match &import.binds {
                bindery_facts::ImportBinding::Name(name) => Some(name),
                _ => None,
            },
        );
        let names: FxHashSet<&Name> = own.chain(imported).collect();
        let is_wanted = |access: &&Access| match self.bodies.exprs.get(access.expr) {
            Expr::Name { name, scope, .. } => names.contains(name) && !cutter.is_local(*scope, name),
            _ => false,
        };
        let line = |access: &Access| Access { line: self.lines.line(access.line), ..access.clone() };
        self.name_accesses.iter().filter(is_wanted).map(line).collect()
    }
}

// ---- Qualnames

fn claims(decls: &[DeclDraft]) -> Vec<Claim> {
    decls.iter().map(|draft| Claim { prefix: prefix(draft), spellings: spellings(draft) }).collect()
}

fn prefix(draft: &DeclDraft) -> Prefix {
    draft.owner.map_or(Prefix::Top, |owner| Prefix::Decl(owner.0))
}

/// The plain name, then what tells declarations of one name apart: the accessor of a property, else
/// the written parameter types, which is what overloads differ in.
fn spellings(draft: &DeclDraft) -> Vec<Spelling> {
    let decl = &draft.decl;
    let mut spellings = vec![Spelling::Part(decl.name.clone())];
    if let Some(accessor) = draft.accessor {
        spellings.push(Spelling::Part(format!("{}({accessor})", decl.name).into()));
    } else if decl.kind.is_callable()
        && decl.decorators.iter().any(|decorator| decorator.ends_with("overload"))
    {
        let params = decl.params.iter().filter(|param| param.kind != ParamKind::Receiver);
        let types: Vec<&str> = params.map(|param| param.type_text.as_str()).collect();
        spellings.push(Spelling::Part(format!("{}({})", decl.name, types.join(",")).into()));
    }
    spellings
}

// ---- Summary

fn result(draft: &DeclDraft, cutter: &ValueCutter<'_>) -> Option<Exprs> {
    if draft.decl.returns.is_some() {
        return None;
    }
    let values = if draft.decl.flags.is_generator { &draft.yielded } else { &draft.returned };
    if values.is_empty() { None } else { cutter.cut_join(values) }
}

fn variable(
    draft: &VariableDraft,
    value: Option<Exprs>,
    changed: &FxHashSet<Name>,
    name_of: &dyn Fn(Option<DeclIndex>) -> Name,
) -> Variable {
    let is_private = draft.name.starts_with('_') && !draft.name.ends_with("__");
    Variable {
        name: draft.name.clone(),
        owner: name_of(draft.owner),
        kind: draft.kind,
        ty: draft.ty.clone(),
        value,
        assigned_in: name_of(draft.assigned_in),
        visibility: if is_private { Visibility::Private } else { Visibility::Public },
        is_mutable: draft.kind == VariableKind::Module && changed.contains(&draft.name),
    }
}

/// Nothing but tests: everything at the top of the file that is declared is one, or the file has
/// tests and imports a test framework.
fn is_test(summary: &Summary) -> bool {
    let tests = summary.decls.iter().filter(|decl| decl.flags.is_test).count();
    let uses_framework = summary.imports.iter().any(|import| {
        import.level == 0
            && import.path.first().is_some_and(|first| matches!(first.as_str(), "pytest" | "unittest"))
    });
    let mut top = summary.decls.iter().filter(|decl| decl.owner.is_empty());
    tests > 0 && (uses_framework || top.all(|decl| decl.flags.is_test))
}

// ---- Expressions

/// Leaves out every expression that no site, binding or access needs.
fn needed_only(mut bodies: Bodies) -> Bodies {
    let mut needed = vec![false; bodies.exprs.0.len()];
    let roots = bodies.sites.iter().map(|site| site.expr);
    let roots = roots.chain(bodies.bindings.iter().filter_map(|binding| binding.value));
    for root in roots.chain(bodies.accesses.iter().map(|access| access.expr)) {
        needed[root.0 as usize] = true;
    }
    // Children come before their parents, so one pass from the end reaches all.
    for index in (0..needed.len()).rev() {
        if needed[index] {
            bodies.exprs.0[index].children(|child| needed[child.0 as usize] = true);
        }
    }
    let mut renumbered = vec![ExprIndex(0); needed.len()];
    let mut kept = Exprs::default();
    for (index, expr) in bodies.exprs.0.iter_mut().enumerate() {
        if needed[index] {
            let mut expr = std::mem::replace(expr, Expr::Unknown);
            expr.map_children(&mut |old| renumbered[old.0 as usize]);
            renumbered[index] = kept.push(expr);
        }
    }
    bodies.exprs = kept;
    bodies.sites.iter_mut().for_each(|site| site.expr = renumbered[site.expr.0 as usize]);
    bodies.accesses.iter_mut().for_each(|access| access.expr = renumbered[access.expr.0 as usize]);
    let values = bodies.bindings.iter_mut().filter_map(|binding| binding.value.as_mut());
    values.for_each(|value| *value = renumbered[value.0 as usize]);
    bodies
}
