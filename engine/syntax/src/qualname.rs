//! Names that are unique within a file.

use bindery_facts::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// Characters of an enclosing qualname, and of a name, that enter a qualname. Thousands of nested
/// declarations would otherwise take memory by the square of their number.
const PART_LIMIT: usize = 1_000;

/// What stands before a declaration's own name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Prefix {
    /// Nothing: it stands at the top of the file.
    Top,
    /// The final qualname of an earlier declaration, by its index.
    Decl(u32),
    /// A spelling of its own, behind the final qualname of an earlier declaration if there is one
    /// (members of an `impl` start with their type's name).
    Text(Option<u32>, Name),
}

/// A declaration that wants a qualname.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// What stands before it.
    pub prefix: Prefix,
    /// Spellings of its last part, from the plain one to the most telling (`f`, `f(int)`). A member
    /// whose prefix changes when told apart says so with a [`Spelling::Whole`].
    pub spellings: Vec<Spelling>,
}

/// One way to spell a declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Spelling {
    /// Behind the prefix and a `.`.
    Part(Name),
    /// In place of prefix text and name, behind the declaration the prefix names, if any.
    Whole(Name),
}

/// The names given so far, and the last ordinal given to each that was shared.
#[derive(Default)]
struct Taken {
    names: FxHashSet<Name>,
    ordinals: FxHashMap<Name, u32>,
}

/// Gives every claim a qualname that no other of the file has; `claims` has parents before children.
///
/// Claims that share a spelling *all* move on to their next one; those that still share the last
/// carry an ordinal `#n` in source order, from 1.
pub fn unique_qualnames(claims: &[Claim]) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::with_capacity(claims.len());
    let generations = generations(claims);
    names.resize(claims.len(), Name::default());
    let mut taken = Taken::default();
    for generation in generations {
        settle(claims, &generation, &mut names, &mut taken);
    }
    names
}

/// The claims by how many claims they hang below, because a name is only final when its prefix is.
fn generations(claims: &[Claim]) -> Vec<Vec<u32>> {
    let mut depths: Vec<usize> = Vec::with_capacity(claims.len());
    let mut generations: Vec<Vec<u32>> = Vec::new();
    for (index, claim) in claims.iter().enumerate() {
        let depth = match claim.prefix {
            Prefix::Decl(parent) | Prefix::Text(Some(parent), _) => depths[parent as usize] + 1,
            Prefix::Top | Prefix::Text(None, _) => 0,
        };
        depths.push(depth);
        if generations.len() <= depth {
            generations.resize(depth + 1, Vec::new());
        }
        generations[depth].push(index as u32);
    }
    generations
}

fn settle(claims: &[Claim], members: &[u32], names: &mut [Name], taken: &mut Taken) {
    let mut levels: Vec<usize> = vec![0; members.len()];
    let most = members.iter().map(|index| claims[*index as usize].spellings.len()).max().unwrap_or(1);
    for _ in 0..most {
        let mut uses: FxHashMap<Name, u32> = FxHashMap::default();
        for (member, level) in members.iter().zip(&levels) {
            let name = spelled(claims, names, *member, *level);
            *uses.entry(name.clone()).or_default() += 1;
            names[*member as usize] = name;
        }
        for (member, level) in members.iter().zip(&mut levels) {
            let name = &names[*member as usize];
            let shared = uses[name] > 1 || taken.names.contains(name);
            if shared && *level + 1 < claims[*member as usize].spellings.len() {
                *level += 1;
            }
        }
    }
    number_the_rest(members, names, taken);
}

fn number_the_rest(members: &[u32], names: &mut [Name], taken: &mut Taken) {
    let mut uses: FxHashMap<Name, u32> = FxHashMap::default();
    for member in members {
        *uses.entry(names[*member as usize].clone()).or_default() += 1;
    }
    for member in members {
        let name = names[*member as usize].clone();
        let mut unique = name.clone();
        while uses[&name] > 1 && unique == name || taken.names.contains(&unique) {
            let ordinal = taken.ordinals.entry(name.clone()).or_default();
            *ordinal += 1;
            unique = Name::from(format!("{name}#{ordinal}"));
        }
        taken.names.insert(unique.clone());
        names[*member as usize] = unique;
    }
}

fn spelled(claims: &[Claim], names: &[Name], member: u32, level: usize) -> Name {
    let claim = &claims[member as usize];
    let (parent, text) = match &claim.prefix {
        Prefix::Top => (None, None),
        Prefix::Decl(parent) => (Some(*parent), None),
        Prefix::Text(parent, text) => (*parent, Some(text)),
    };
    let (text, last) = match &claim.spellings[level] {
        Spelling::Part(part) => (text, part),
        Spelling::Whole(whole) => (None, whole),
    };
    let parts = [parent.map(|parent| &names[parent as usize]), text, Some(last)];
    let parts: Vec<&str> = parts.into_iter().flatten().map(|part| within_limit(part)).collect();
    if let [only] = parts.as_slice() { Name::from(*only) } else { Name::from(parts.join(".")) }
}

/// The part of a name that enters a qualname. What is cut makes no two names equal, because those that
/// would be are numbered.
fn within_limit(part: &str) -> &str {
    part.char_indices().nth(PART_LIMIT).map_or(part, |(at, _)| &part[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(prefix: Prefix, spellings: &[&str]) -> Claim {
        Claim { prefix, spellings: spellings.iter().map(|name| Spelling::Part(Name::from(*name))).collect() }
    }

    #[test]
    fn all_that_share_a_name_are_told_apart() {
        let claims = [
            claim(Prefix::Top, &["f", "f(int)"]),
            claim(Prefix::Top, &["f", "f(str)"]),
            claim(Prefix::Decl(0), &["inner"]),
            claim(Prefix::Top, &["g"]),
            claim(Prefix::Top, &["h", "h(int)"]),
            claim(Prefix::Top, &["h", "h(int)"]),
            claim(Prefix::Text(None, "T".into()), &["m"]),
        ];
        let names = unique_qualnames(&claims);
        assert_eq!(names, ["f(int)", "f(str)", "f(int).inner", "g", "h(int)#1", "h(int)#2", "T.m"]);
    }

    #[test]
    fn deep_nesting_stays_small() {
        let nested = |index: u32| if index == 0 { Prefix::Top } else { Prefix::Decl(index - 1) };
        let claims: Vec<Claim> = (0..5_000).map(|index| claim(nested(index), &["name"])).collect();
        let names = unique_qualnames(&claims);
        assert_eq!(names[2], "name.name.name");
        assert!(names.iter().all(|name| name.len() < 1_020));
        let distinct: FxHashSet<&Name> = names.iter().collect();
        assert_eq!(distinct.len(), names.len());
    }

    #[test]
    fn a_nested_name_that_meets_a_taken_one_is_numbered() {
        let claims = [
            claim(Prefix::Text(None, "A".into()), &["b"]),
            claim(Prefix::Top, &["A"]),
            claim(Prefix::Decl(1), &["b"]),
        ];
        assert_eq!(unique_qualnames(&claims), ["A.b", "A", "A.b#1"]);
    }
}
