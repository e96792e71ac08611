/// What becomes of a row of a table that is brought up to date.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It stays.
    Keep,
    /// It goes.
    Drop,
    /// Another one takes its place.
    Replace(String),
}

/// A table of rows that are sorted and different from each other, below its head.
pub fn table<'r>(head: &str, rows: impl IntoIterator<Item = &'r str>) -> String {
    let mut table = head.to_owned();
    for row in rows {
        table.push_str(row);
        table.push('\n');
    }
    table
}

/// The table with some rows changed and others added: what [`table`] gives for all rows together. None if
/// `old` is no such table, or `fate` cannot tell.
pub fn splice(
    old: &str,
    head: &str,
    fate: &dyn Fn(&str) -> Option<Fate>,
    mut fresh: Vec<String>,
) -> Option<String> {
    let rows = old.strip_prefix(head)?;
    let mut kept: Vec<&str> = Vec::with_capacity(rows.len() / 64);
    for row in rows.lines() {
        match fate(row)? {
            Fate::Keep => kept.push(row),
            Fate::Drop => {}
            Fate::Replace(other) => fresh.push(other),
        }
    }
    fresh.sort_unstable();
    fresh.dedup();
    let mut out = String::with_capacity(old.len() + fresh.iter().map(|row| row.len() + 1).sum::<usize>());
    out.push_str(head);
    let mut push = |row: &str| {
        out.push_str(row);
        out.push('\n');
    };
    let mut fresh = fresh.iter().map(String::as_str).peekable();
    for row in kept {
        while let Some(before) = fresh.next_if(|other| *other < row) {
            push(before);
        }
        fresh.next_if_eq(&row);
        push(row);
    }
    fresh.for_each(push);
    Some(out)
}
