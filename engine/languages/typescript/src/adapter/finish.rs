//! What can only be said when the whole file was read: unique qualnames, the values of variables,
//! which names are module variables, and which expressions are needed at all.

use std::sync::Arc;

use bindery_facts::{
    Access, BindingKind, Bodies, DeclIndex, DeclKind, Expr, ExprIndex, Exprs, FileFacts, ImportBinding,
    Literal, Name, ScopeIndex, Summary, TypeExpr, Variable, VariableKind, Visibility,
};
use bindery_syntax::{Claim, Prefix, Spelling, doc_comment, unique_qualnames};
use rustc_hash::{FxHashMap, FxHashSet};

use super::declarations::DeclDraft;
use super::reader::{Reader, VariableDraft};
use super::values::ValueCutter;

/// The most values that one variable is assigned before it counts as unknown.
const ASSIGNMENT_LIMIT: usize = 6;

impl Reader<'_> {
    /// The facts of the file that was walked.
    pub(super) fn finish(mut self) -> FileFacts {
        self.bodies.bindings.sort_by_key(|binding| binding.at);
        self.join_assignments();
        let qualnames = unique_qualnames(&claims(&self.decls));
        self.name_markers(&qualnames);
        let name_of =
            |decl: Option<DeclIndex>| decl.map(|decl| qualnames[decl.0 as usize].clone()).unwrap_or_default();
        let cutter = ValueCutter::new(&self.bodies);
        let changed = self.changed_module_variables(&cutter);
        let variables: Vec<Variable> = self
            .variables
            .iter()
            .map(|draft| {
                let value = draft.value.and_then(|value| cutter.cut(&[value], draft.assigned_in));
                self.variable(draft, value, &changed, &name_of)
            })
            .collect();
        let results: Vec<Option<Exprs>> =
            self.decls.iter().enumerate().map(|(index, draft)| result(index, draft, &cutter)).collect();
        let name_accesses = self.module_accesses(&cutter);
        drop(cutter);
        let summary = self.summary(variables, results, &qualnames);
        let name_markers =
            |exprs: &mut Exprs| exprs.0.iter_mut().for_each(|expr| name_marker(expr, &qualnames));
        let mut summary = summary;
        summary.decls.iter_mut().filter_map(|decl| decl.result.as_mut()).for_each(name_markers);
        summary.variables.iter_mut().filter_map(|variable| variable.value.as_mut()).for_each(name_markers);
        self.bodies.accesses.extend(name_accesses);
        self.bodies.accesses.sort_by_key(|access| access.expr);
        let texts = std::mem::take(&mut self.decls).into_iter().map(|draft| draft.text).collect();
        FileFacts {
            is_test: is_test(&summary, &self.bodies),
            is_entry_point: self.source.starts_with("#!"),
            doc: self.file_doc(),
            line_count: self.lines.count(),
            first_error: self.tree.first_error().map(|at| self.lines.line(at)),
            summary: Arc::new(summary),
            texts,
            bodies: needed_only(self.bodies),
        }
    }

    fn summary(
        &mut self,
        variables: Vec<Variable>,
        results: Vec<Option<Exprs>>,
        qualnames: &[Name],
    ) -> Summary {
        let name_of =
            |decl: Option<DeclIndex>| decl.map(|decl| qualnames[decl.0 as usize].clone()).unwrap_or_default();
        let mut decls = Vec::with_capacity(self.decls.len());
        for (index, (draft, result)) in self.decls.iter_mut().zip(results).enumerate() {
            let mut decl = draft.decl.clone();
            decl.qualname = qualnames[index].clone();
            decl.owner = name_of(draft.owner);
            decl.result = result;
            if decl.owner.is_empty() && self.exported_names.contains(&decl.name) {
                decl.visibility = Visibility::Public;
            }
            decls.push(decl);
        }
        let imports = std::mem::take(&mut self.imports).into_iter().map(|(mut import, owner)| {
            if import.owner.is_empty() {
                import.owner = name_of(owner);
            }
            import
        });
        let is_module = self.is_module || self.exports.is_some();
        let marks = if is_module { vec![Name::new_static(crate::MODULE_MARK)] } else { Vec::new() };
        Summary {
            language: self.language,
            imports: imports.collect(),
            exports: None,
            marks,
            variables,
            decls,
        }
    }

    /// A variable that is declared without type and value holds what it is assigned later.
    fn join_assignments(&mut self) {
        let assignments = std::mem::take(&mut self.assignments);
        let mut assigned: FxHashMap<u32, Vec<ExprIndex>> = FxHashMap::default();
        let mut by_name: FxHashMap<(ScopeIndex, Name), u32> = FxHashMap::default();
        for (index, binding) in self.bodies.bindings.iter().enumerate() {
            by_name.insert((binding.scope, binding.name.clone()), index as u32);
        }
        let mut of_module: FxHashMap<Name, Vec<ExprIndex>> = FxHashMap::default();
        for (scope, name, value) in assignments {
            let mut at = Some(scope);
            let found = loop {
                let Some(scope) = at else { break None };
                if let Some(index) = by_name.get(&(scope, name.clone())) {
                    break Some(*index);
                }
                at = self.bodies.scopes[scope.0 as usize].parent;
            };
            match found {
                Some(index) => assigned.entry(index).or_default().push(value),
                None => of_module.entry(name).or_default().push(value),
            }
        }
        let mut open: Vec<(u32, Vec<ExprIndex>)> = assigned.into_iter().collect();
        open.sort_unstable();
        for (index, values) in open {
            let binding = &self.bodies.bindings[index as usize];
            if binding.kind == BindingKind::Local
                && binding.ty.is_none()
                && self.is_empty_value(binding.value)
            {
                let value = self.joined(values);
                self.bodies.bindings[index as usize].value = value;
            }
        }
        for index in 0..self.variables.len() {
            let draft = &self.variables[index];
            let is_open = draft.owner.is_none() && draft.ty.is_none() && self.is_empty_value(draft.value);
            let values = of_module.get(&draft.name).filter(|_| is_open).cloned();
            if let Some(values) = values {
                self.variables[index].value = self.joined(values);
            }
        }
    }

    fn is_empty_value(&self, value: Option<ExprIndex>) -> bool {
        value.is_none_or(|value| *self.bodies.exprs.get(value) == Expr::Literal(Literal::None))
    }

    fn joined(&mut self, values: Vec<ExprIndex>) -> Option<ExprIndex> {
        match values.len() {
            0 => None,
            1 => values.first().copied(),
            2..=ASSIGNMENT_LIMIT => Some(self.push(Expr::Join(values))),
            _ => None,
        }
    }

    fn name_markers(&mut self, qualnames: &[Name]) {
        self.bodies.exprs.0.iter_mut().for_each(|expr| name_marker(expr, qualnames));
    }

    /// Module variables that change after they were first set.
    fn changed_module_variables(&self, cutter: &ValueCutter<'_>) -> FxHashSet<Name> {
        let mut changed = FxHashSet::default();
        for access in self.name_accesses.iter().filter(|access| access.is_write) {
            if let Expr::Name { name, scope, .. } = self.bodies.exprs.get(access.expr)
                && !cutter.is_local(*scope, name)
            {
                changed.insert(name.clone());
            }
        }
        changed
    }

    fn variable(
        &self,
        draft: &VariableDraft,
        value: Option<Exprs>,
        changed: &FxHashSet<Name>,
        name_of: &dyn Fn(Option<DeclIndex>) -> Name,
    ) -> Variable {
        let of_module = draft.owner.is_none();
        let is_mutable = of_module && changed.contains(&draft.name);
        let kind = if is_mutable { VariableKind::Module } else { draft.kind };
        let is_exported = of_module && self.exported_names.contains(&draft.name);
        Variable {
            name: draft.name.clone(),
            owner: name_of(draft.owner),
            kind,
            ty: draft.ty.clone(),
            value,
            assigned_in: name_of(draft.assigned_in),
            visibility: if is_exported { Visibility::Public } else { draft.visibility.clone() },
            is_mutable,
        }
    }

    /// The accesses of names that mean variables of this module or may mean those of another.
    fn module_accesses(&self, cutter: &ValueCutter<'_>) -> Vec<Access> {
        let own = self.variables.iter().filter(|draft| draft.owner.is_none()).map(|draft| &draft.name);
        let imported = self.imports.iter().filter(|(import, _)| import.is_member);
        let imported = imported.filter_map(|(import, _)| match &import.binds {
            ImportBinding::Name(name) => Some(name),
            _ => None,
        });
        let names: FxHashSet<&Name> = own.chain(imported).collect();
        let is_wanted = |access: &&Access| match self.bodies.exprs.get(access.expr) {
            Expr::Name { name, scope, .. } => names.contains(name) && !cutter.is_local(*scope, name),
            _ => false,
        };
        let line = |access: &Access| Access { line: self.lines.line(access.line), ..access.clone() };
        self.name_accesses.iter().filter(is_wanted).map(line).collect()
    }

    /// The comment a file begins with, unless it belongs to its first declaration.
    fn file_doc(&self) -> Option<String> {
        let mut rest = self.source;
        if rest.starts_with("#!") {
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
        }
        let rest = rest.trim_start();
        let (inside, behind) =
            rest.strip_prefix("/**").or_else(|| rest.strip_prefix("/*"))?.split_once("*/")?;
        let is_apart = behind.split_once('\n').is_some_and(|(line, next)| {
            line.trim().is_empty() && next.lines().next().is_some_and(|line| line.trim().is_empty())
        });
        let text = doc_comment::without_stars(inside);
        let is_file_doc =
            text.contains("@fileoverview") || text.contains("@file") || text.contains("@module");
        if !is_apart && !is_file_doc {
            return None;
        }
        let mut lines = Vec::new();
        for line in text.lines() {
            match line.trim_start().strip_prefix('@') {
                None => lines.push(line.to_owned()),
                Some(tag) => {
                    let (word, rest) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
                    if !matches!(word, "fileoverview" | "file" | "overview" | "description") {
                        break;
                    }
                    lines.push(rest.to_owned());
                }
            }
        }
        doc_comment::leading_paragraphs(&lines.join("\n"))
    }
}

// ---- Markers

/// Puts the qualname in place of a declaration's number.
fn name_marker(expr: &mut Expr, qualnames: &[Name]) {
    let Expr::Path { path: TypeExpr::Path(segments), .. } = expr else { return };
    let [word, subject] = segments.as_mut_slice() else { return };
    if word.name != crate::DECL && word.name != crate::THIS {
        return;
    }
    if let Some(qualname) = subject.name.parse::<usize>().ok().and_then(|index| qualnames.get(index)) {
        subject.name = qualname.clone();
    }
}

// ---- Qualnames

fn claims(decls: &[DeclDraft]) -> Vec<Claim> {
    let bodies: FxHashSet<(Option<DeclIndex>, &Name, bool)> = decls
        .iter()
        .filter(|draft| draft.decl.kind.is_callable() && !draft.is_signature)
        .map(|draft| (draft.owner, &draft.decl.name, draft.decl.flags.is_static))
        .collect();
    let claim = |draft: &DeclDraft| {
        let key = (draft.owner, &draft.decl.name, draft.decl.flags.is_static);
        let is_overload = draft.is_signature && bodies.contains(&key);
        Claim { prefix: prefix(decls, draft), spellings: spellings(draft, is_overload) }
    };
    decls.iter().map(claim).collect()
}

/// The nearest declaration around that has a name of its own, and the names of the namespaces between.
fn prefix(decls: &[DeclDraft], draft: &DeclDraft) -> Prefix {
    let mut labels: Vec<&str> = Vec::new();
    let mut at = draft.owner;
    while let Some(index) = at {
        let owner = &decls[index.0 as usize];
        if !owner.is_hidden {
            return match labels.is_empty() {
                true => Prefix::Decl(index.0),
                false => Prefix::Text(Some(index.0), joined_labels(labels)),
            };
        }
        labels.extend(label(owner));
        at = owner.owner;
    }
    if labels.is_empty() { Prefix::Top } else { Prefix::Text(None, joined_labels(labels)) }
}

fn joined_labels(mut labels: Vec<&str>) -> Name {
    labels.reverse();
    labels.join(".").into()
}

/// What a declaration without a symbol adds to the names of its members.
fn label(draft: &DeclDraft) -> Option<&str> {
    let name = draft.decl.name.as_str();
    match draft.decl.kind {
        DeclKind::Module => Some(name),
        _ => name.strip_suffix(crate::PROTOTYPE).or_else(|| name.strip_suffix(crate::PROPERTIES)),
    }
}

/// The plain name, then what tells declarations of one name apart: accessor and `static`, the written
/// parameter types of an overload, the kind of a type.
fn spellings(draft: &DeclDraft, is_overload: bool) -> Vec<Spelling> {
    let decl = &draft.decl;
    let part = |mark: &str| Spelling::Part(format!("{}({mark})", decl.name).into());
    let types = || {
        let types: Vec<&str> = decl.params.iter().map(|param| param.type_text.as_str()).collect();
        types.join(",")
    };
    match (draft.is_hidden, decl.kind) {
        (true, DeclKind::Module) => vec![part("namespace")],
        (true, _) => vec![Spelling::Part(decl.name.clone())],
        _ if is_overload => vec![part(&types())],
        _ => {
            let mut spellings = vec![Spelling::Part(decl.name.clone())];
            if !draft.marks.is_empty() {
                spellings.push(part(&draft.marks.join(",")));
            } else if draft.is_signature {
                spellings.push(part(&types()));
            } else if let Some(kind) = decl.kind.type_kind() {
                spellings.push(part(kind));
            }
            spellings
        }
    }
}

// ---- Summary

fn result(index: usize, draft: &DeclDraft, cutter: &ValueCutter<'_>) -> Option<Exprs> {
    if draft.decl.returns.is_some() || draft.returned.is_empty() || draft.decl.flags.is_generator {
        return None;
    }
    cutter.cut(&draft.returned, Some(DeclIndex(index as u32)))
}

/// Calls at the top of a file that a test framework provides.
const TEST_CALLS: &[&str] = &["describe", "it", "test", "suite"];

/// Nothing but tests: the file calls a test framework at its top, or imports one.
fn is_test(summary: &Summary, bodies: &Bodies) -> bool {
    let frameworks = ["vitest", "@jest/globals", "node:test", "mocha", "ava", "tap", "tape"];
    let imports_framework = summary
        .imports
        .iter()
        .any(|import| import.path.first().is_some_and(|first| frameworks.contains(&first.as_str())));
    let is_test_call = |raw: &str| {
        let word = raw.split('.').next().unwrap_or(raw);
        TEST_CALLS.contains(&word)
    };
    let is_declared =
        |name: &str| summary.decls.iter().any(|decl| decl.owner.is_empty() && decl.name == name);
    imports_framework
        || bodies
            .sites
            .iter()
            .any(|site| site.scope == ScopeIndex::FILE && is_test_call(&site.raw) && !is_declared(&site.raw))
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
