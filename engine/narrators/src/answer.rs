//! Whether an answer is one: the texts that were asked for, no longer than asked for, without control characters.

use std::collections::BTreeMap;

use bindery_artifacts::{NarratorRequest, ProseField, ProseTexts};

use crate::Problem;

/// Bytes no answer of a program or endpoint exceeds.
pub(crate) const LONGEST_ANSWER: u64 = 1 << 20;

/// Takes the texts of an answer. White space is folded, since prose stands in one paragraph.
pub(crate) fn texts(answer: &str, request: &NarratorRequest) -> Result<ProseTexts, Problem> {
    let value: serde_json::Value = serde_json::from_str(answer.trim()).map_err(|_| Problem::NotJson)?;
    let given: BTreeMap<String, serde_json::Value> = match value {
        serde_json::Value::Object(fields) => fields.into_iter().collect(),
        _ => return Err(Problem::WrongForm("is not an object".to_owned())),
    };
    let unknown = |name: &str| !request.fields.keys().any(|field| field.name() == name);
    if given.keys().any(|name| unknown(name)) {
        return Err(Problem::WrongForm("has a key that was not asked for".to_owned()));
    }
    let field = |(field, longest): (&ProseField, &u64)| {
        let text = match given.get(field.name()) {
            Some(serde_json::Value::String(text)) => text,
            Some(_) => return Err(Problem::WrongForm(format!("has no text as `{}`", field.name()))),
            None => return Err(Problem::WrongForm(format!("has no `{}`", field.name()))),
        };
        Ok((*field, fit(text, *field, *longest)?))
    };
    request.fields.iter().map(field).collect()
}

fn fit(text: &str, field: ProseField, longest: u64) -> Result<String, Problem> {
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let name = field.name();
    if let Some(control) = folded.chars().find(|c| c.is_control()) {
        let code = u32::from(control);
        return Err(Problem::WrongText(format!("has the control character U+{code:04X} in `{name}`")));
    }
    if folded.chars().count() as u64 > longest {
        return Err(Problem::WrongText(format!("has more than {longest} characters in `{name}`")));
    }
    // A function need not have anything to do with others, and not every function moves data.
    let may_be_empty = matches!(field, ProseField::DataFlow | ProseField::Relations);
    if folded.is_empty() && !may_be_empty {
        return Err(Problem::WrongText(format!("has nothing in `{name}`")));
    }
    Ok(folded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindery_artifacts::{ProseKind, ProseLanguage, Version};

    fn request(kind: ProseKind) -> NarratorRequest {
        NarratorRequest {
            version: Version,
            kind,
            subject: String::new(),
            model: String::new(),
            lang: ProseLanguage::En,
            instructions: String::new(),
            shown: serde_json::Value::Null,
            fields: kind.fields().iter().map(|(field, longest)| (*field, *longest as u64)).collect(),
        }
    }

    fn purpose(answer: &str) -> Result<String, String> {
        let texts = texts(answer, &request(ProseKind::Purpose)).map_err(|problem| problem.to_string())?;
        Ok(texts[&ProseField::Text].clone())
    }

    #[test]
    fn a_text_is_folded_to_one_paragraph() {
        assert_eq!(purpose("{\"text\":\" Runs\\n\\tjobs. \"}\n"), Ok("Runs jobs.".to_owned()));
    }

    #[test]
    fn what_is_no_answer_says_why() {
        for (answer, expected) in [
            ("", "the answer is not JSON"),
            ("Runs jobs.", "the answer is not JSON"),
            ("{\"text\":\"a\"} {}", "the answer is not JSON"),
            ("[\"a\"]", "the answer is not an object"),
            ("{}", "the answer has no `text`"),
            ("{\"text\":1}", "the answer has no text as `text`"),
            ("{\"text\":\"a\",\"more\":\"b\"}", "the answer has a key that was not asked for"),
            ("{\"text\":\" \"}", "the answer has nothing in `text`"),
            ("{\"text\":\"a\\u0007\"}", "the answer has the control character U+0007 in `text`"),
        ] {
            assert_eq!(purpose(answer), Err(expected.to_owned()), "{answer}");
        }
        let long = format!("{{\"text\":\"{}\"}}", "é".repeat(501));
        assert_eq!(purpose(&long), Err("the answer has more than 500 characters in `text`".to_owned()));
        assert!(purpose(&long.replacen('é', "", 1)).is_ok());
    }

    #[test]
    fn a_function_may_have_nothing_to_do_with_others() {
        let answer = "{\"purpose\":\"Runs.\",\"dataFlow\":\"\",\"relations\":\"\"}";
        let texts = texts(answer, &request(ProseKind::Function)).expect("the answer is right");
        assert_eq!(texts[&ProseField::Purpose], "Runs.");
        assert_eq!(texts.len(), 3);
    }
}
