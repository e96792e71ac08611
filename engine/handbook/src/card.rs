//! Cards: the record of one file, and which cards say what their file is for.

use bindery_artifacts::wording::counted;
use bindery_artifacts::{Card, CardCoverage, CardFunction, Depth, ProseKind, Version};
use bindery_facts::{Decl, DeclText};
use bindery_graph::Symbol;

use crate::calls::{Calls, callee_id, calls_by_function};
use crate::prose::{first_sentence, plain_text};
use crate::{CrossReferences, FileSketch, FileView, ModelProse, naming};

/// The card of one file. `references` are asked only with [`Depth::Deep`]; `prose` is what a model wrote, if one
/// did, and lies over `sketch` already.
pub fn card(
    view: &FileView<'_>,
    sketch: &FileSketch,
    depth: Depth,
    references: &CrossReferences<'_>,
    prose: Option<&ModelProse>,
) -> Card {
    let is_deep = depth == Depth::Deep;
    Card {
        version: Version,
        file: sketch.path.as_str().to_owned(),
        purpose: sketch.purpose_or_absence().to_owned(),
        role: sketch.role,
        lifecycle: sketch.lifecycle.to_string(),
        description: is_deep.then(|| description(view, sketch, prose)),
        functions: is_deep.then(|| functions(view, references, prose)),
    }
}

/// What a model wrote, else what the file says of itself, then what it holds.
pub(crate) fn description(view: &FileView<'_>, sketch: &FileSketch, prose: Option<&ModelProse>) -> String {
    if let Some(prose) = prose {
        return prose.only_text(ProseKind::Description, sketch.path.as_str()).to_owned();
    }
    let decls = || view.facts.summary.decls.iter().zip(&view.facts.texts);
    let own = view.facts.doc.as_deref().map(plain_text).filter(|text| !text.is_empty());
    let mut sentences = vec![own.unwrap_or_else(|| sketch.purpose_or_absence().to_owned())];
    let holds = format!(
        "It defines {} and {}.",
        counted(sketch.type_count.into(), "type"),
        counted(sketch.function_count.into(), "function")
    );
    sentences.push(holds);
    for (decl, text) in decls().filter(|(decl, _)| decl.kind.type_kind().is_some() && decl.owner.is_empty()) {
        if let Some(doc) = text.doc.as_deref().map(plain_text).filter(|doc| !doc.is_empty()) {
            sentences.push(format!("{}: {}", decl.qualname, first_sentence(&doc)));
        }
    }
    sentences.join(" ")
}

fn functions(
    view: &FileView<'_>,
    references: &CrossReferences<'_>,
    prose: Option<&ModelProse>,
) -> Vec<CardFunction> {
    let calls = calls_by_function(view);
    let none = Calls::default();
    let decls = view.facts.summary.decls.iter().zip(&view.facts.texts).enumerate();
    decls
        .filter(|(_, (decl, _))| decl.kind.is_callable())
        .map(|(index, (decl, text))| {
            let calls = calls.get(&Some(index as u32)).unwrap_or(&none);
            let mut function = card_function(view, decl, text, calls, references);
            if let Some(prose) = prose {
                let written = prose.function(&function.id);
                function.purpose = written.purpose;
                function.data_flow = written.data_flow;
                function.relations = written.relations;
            }
            function
        })
        .collect()
}

fn card_function(
    view: &FileView<'_>,
    decl: &Decl,
    text: &DeclText,
    calls: &Calls,
    references: &CrossReferences<'_>,
) -> CardFunction {
    let symbol = Symbol { path: view.path.clone(), qualname: decl.qualname.clone() };
    let mut called: Vec<String> =
        calls.internal.iter().filter_map(|callee| callee_id(callee, references)).collect();
    called.sort_unstable();
    called.dedup();
    let mut called_by: Vec<String> = (references.callers_of)(&symbol).iter().map(references.id_of).collect();
    called_by.sort_unstable();
    let ext_calls: Vec<String> = calls.boundary.iter().cloned().collect();
    let purpose = text.doc.as_deref().map(|doc| first_sentence(&plain_text(doc))).unwrap_or_default();
    CardFunction {
        id: (references.id_of)(&symbol),
        qualname: decl.qualname.to_string(),
        name: decl.name.to_string(),
        class_name: class_name(view, decl),
        line_range: [text.line_start, text.line_end],
        signature: text.signature.clone(),
        n_calls: called.len() as u64,
        n_called_by: called_by.len() as u64,
        n_ext_calls: ext_calls.len() as u64,
        data_flow: data_flow(decl),
        relations: String::new(),
        calls: called,
        called_by,
        ext_calls,
        purpose,
    }
}

/// The type a function is a member of.
fn class_name(view: &FileView<'_>, decl: &Decl) -> Option<String> {
    let owner = view.facts.summary.decls.iter().find(|other| other.qualname == decl.owner)?;
    match owner.kind.type_kind() {
        Some(_) => Some(owner.qualname.to_string()),
        // Members of a block that adds to a type carry the type's name in front of their own.
        None if owner.kind == bindery_facts::DeclKind::Impl => {
            decl.qualname.strip_suffix(decl.name.as_str())?.strip_suffix('.').map(str::to_owned)
        }
        None => None,
    }
}

/// The written types that go in.
fn data_flow(decl: &Decl) -> String {
    let typed: Vec<String> = decl
        .params
        .iter()
        .filter(|param| !param.type_text.is_empty())
        .map(|param| format!("{}: {}", param.name, param.type_text))
        .collect();
    if typed.is_empty() { String::new() } else { format!("Takes {}.", naming::enumeration(&typed)) }
}

/// The artifact `_coverage.json` over all cards.
pub fn card_coverage(sketches: &[FileSketch]) -> CardCoverage {
    let undescribed = sketches.iter().filter(|sketch| sketch.purpose.as_deref().is_none_or(str::is_empty));
    let mut missing: Vec<String> = undescribed.map(|sketch| sketch.path.as_str().to_owned()).collect();
    missing.sort_unstable();
    let n_files = sketches.len() as u64;
    CardCoverage { version: Version, n_files, n_described: n_files - missing.len() as u64, missing }
}
