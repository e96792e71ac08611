//! Numbers as people read them.

/// A number with a comma between thousands: `1,234`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with its noun, given in the singular: `1 page`, `2 pages`, `0 entries`.
pub fn counted(number: u64, noun: &str) -> String {
    let grouped = grouped(number);
    let before_y = noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match (number, before_y) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{grouped} {stem}ies"),
        (_, None) => format!("{grouped} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let written: Vec<String> = [0, 999, 1000, 12_345, 1_234_567].into_iter().map(grouped).collect();
        assert_eq!(written, ["0", "999", "1,000", "12,345", "1,234,567"]);
    }

    #[test]
    fn one_is_singular_and_everything_else_is_not() {
        let nouns = ["page", "entry", "day", "handbook file"];
        let written = |number| nouns.map(|noun| counted(number, noun));
        assert_eq!(written(1), ["1 page", "1 entry", "1 day", "1 handbook file"]);
        assert_eq!(written(0), ["0 pages", "0 entries", "0 days", "0 handbook files"]);
        assert_eq!(written(1000), ["1,000 pages", "1,000 entries", "1,000 days", "1,000 handbook files"]);
    }
}
