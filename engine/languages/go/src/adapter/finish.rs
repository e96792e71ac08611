//! From what the walk collected to the facts.

use std::sync::Arc;

use bindery_facts::{
    Bodies, Decl, DeclIndex, DeclKind, ExprIndex, Exprs, FileFacts, Language, Name, Summary, Variable,
};
use bindery_syntax::{Claim, NodeIndex, doc_comment::leading_paragraphs, unique_qualnames};

use super::docs::build_constraint;
use super::reader::Reader;

impl Reader<'_> {
    /// What was read, as facts.
    pub(super) fn finish(mut self) -> FileFacts {
        let claims: Vec<Claim> = self.drafts.iter().map(|draft| draft.claim.clone()).collect();
        let qualnames = unique_qualnames(&claims);
        let owner = |index: Option<DeclIndex>| {
            index.map_or(Name::default(), |index| qualnames[index.0 as usize].clone())
        };
        let mut marks = vec![Name::from(format!("package {}", self.package))];
        if let Some(constraint) = build_constraint(self.tree, self.source) {
            marks.push(Name::from(format!("build {constraint}")));
        }
        let has_main = self.package == "main"
            && self.drafts.iter().any(|draft| {
                draft.decl.kind == DeclKind::Function && draft.owner.is_none() && draft.decl.name == "main"
            });
        let (mut decls, mut texts) = (Vec::new(), Vec::new());
        for (draft, qualname) in self.drafts.drain(..).zip(&qualnames) {
            decls.push(Decl { qualname: qualname.clone(), owner: owner(draft.owner), ..draft.decl });
            texts.push(draft.text);
        }
        let variables = self.variables.drain(..);
        let variables = variables.map(|(it, of)| Variable { owner: owner(of), ..it }).collect();
        self.locals.settle(&mut self.bodies.bindings, &mut self.bodies.exprs);
        self.sort_bodies();
        prune(&mut self.bodies);
        FileFacts {
            summary: Arc::new(Summary {
                language: Language::Go,
                decls,
                imports: self.imports,
                variables,
                exports: None,
                marks,
            }),
            texts,
            doc: leading_paragraphs(&self.doc),
            line_count: self.lines.count(),
            first_error: self.tree.first_error().map(|at| self.lines.line(at)),
            is_entry_point: has_main,
            is_test: false,
            bodies: self.bodies,
        }
    }

    /// Puts calls and accesses in the order of the source; of those that begin together the inner first.
    fn sort_bodies(&mut self) {
        let tree = self.tree;
        let place = |node: NodeIndex| (tree.node(node).start, tree.node(node).end);
        self.sites.sort_by_key(|(node, _)| place(*node));
        self.accesses.sort_by_key(|(node, _)| place(*node));
        self.bodies.sites.extend(self.sites.drain(..).map(|(_, site)| site));
        self.bodies.accesses.extend(self.accesses.drain(..).map(|(_, access)| access));
    }
}

/// Removes every expression that no call, binding or access leads to, and puts children before parents.
fn prune(bodies: &mut Bodies) {
    let exprs = std::mem::take(&mut bodies.exprs);
    let mut renumbered: Vec<Option<ExprIndex>> = vec![None; exprs.0.len()];
    let mut kept = Exprs::default();
    let mut keep = |root: ExprIndex| {
        let mut open = vec![(root, false)];
        while let Some((index, are_children_kept)) = open.pop() {
            if renumbered[index.0 as usize].is_some() {
                continue;
            }
            if are_children_kept {
                let mut expr = exprs.get(index).clone();
                // A child is missing only if it is its own ancestor, which no syntax tree has.
                expr.map_children(&mut |child| renumbered[child.0 as usize].unwrap_or(child));
                renumbered[index.0 as usize] = Some(kept.push(expr));
            } else {
                open.push((index, true));
                exprs.get(index).children(|child| open.push((child, false)));
            }
        }
        renumbered[root.0 as usize].unwrap_or(root)
    };
    bodies.sites.iter_mut().for_each(|site| site.expr = keep(site.expr));
    bodies.accesses.iter_mut().for_each(|access| access.expr = keep(access.expr));
    bodies.bindings.iter_mut().filter_map(|it| it.value.as_mut()).for_each(|value| *value = keep(*value));
    bodies.exprs = kept;
}
