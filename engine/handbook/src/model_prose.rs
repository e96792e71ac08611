//! Prose written by a model, in the place of what the built-in narrator composes.
//!
//! It is laid over sketches, stages and registers when pages and artifacts are made from them, and over nothing
//! that anything else is computed from: prose enters no fact, no id, no order and no request.

use std::collections::BTreeMap;

use bindery_artifacts::{OrganizedStage, ProseField, ProseKind, ProseTexts, Registers};

use crate::FileSketch;
use crate::request::Unit;

/// What a model wrote about the units of a handbook. A unit that is not in it has empty texts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ModelProse(BTreeMap<Unit, ProseTexts>);

/// What a model wrote about a function.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct FunctionProse {
    /// What it is for.
    pub purpose: String,
    /// What goes in and out.
    pub data_flow: String,
    /// What it has to do with others.
    pub relations: String,
}

impl FromIterator<(Unit, ProseTexts)> for ModelProse {
    fn from_iter<I: IntoIterator<Item = (Unit, ProseTexts)>>(units: I) -> Self {
        Self(units.into_iter().collect())
    }
}

impl ModelProse {
    /// The texts of a unit.
    pub fn texts(&self, unit: &Unit) -> Option<&ProseTexts> {
        self.0.get(unit)
    }

    /// Every unit there is prose for.
    pub fn units(&self) -> impl Iterator<Item = (&Unit, &ProseTexts)> {
        self.0.iter()
    }

    /// One text of a unit; empty if there is none.
    pub fn text(&self, kind: ProseKind, subject: &str, field: ProseField) -> &str {
        let unit = Unit { kind, subject: subject.to_owned() };
        self.0.get(&unit).and_then(|texts| texts.get(&field)).map_or("", String::as_str)
    }

    /// The text of a unit that has one; empty if there is none.
    pub fn only_text(&self, kind: ProseKind, subject: &str) -> &str {
        self.text(kind, subject, ProseField::Text)
    }

    /// What is said of a function, by its id.
    pub fn function(&self, id: &str) -> FunctionProse {
        let text = |field| self.text(ProseKind::Function, id, field).to_owned();
        FunctionProse {
            purpose: text(ProseField::Purpose),
            data_flow: text(ProseField::DataFlow),
            relations: text(ProseField::Relations),
        }
    }

    /// Puts the file's purpose into its sketch.
    pub fn lay_over_sketch(&self, sketch: &mut FileSketch) {
        sketch.purpose = Some(self.only_text(ProseKind::Purpose, sketch.path.as_str()).to_owned());
    }

    /// Puts purposes into an organized stage.
    pub fn lay_over_stage(&self, stage: &mut OrganizedStage) {
        for group in &mut stage.groups {
            for file in &mut group.files {
                file.purpose = self.only_text(ProseKind::Purpose, &file.file).to_owned();
            }
            // A group of one file is summarised by what the file is for.
            if let [only] = &group.files[..] {
                group.summary = only.purpose.clone();
            }
        }
    }

    /// Puts what registers mean into them.
    pub fn lay_over_registers(&self, registers: &mut Registers) {
        for register in &mut registers.registers {
            register.semantics =
                self.only_text(ProseKind::RegisterSemantics, register.id.as_str()).to_owned();
        }
    }
}
