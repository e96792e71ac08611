//! Names bound inside bodies: which binding a use sees.

use bindery_facts::{Binding, BindingKind, FileFacts, Name, ScopeIndex, ScopeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Rules, Scoping};

/// The bindings of a file by scope and name, and what every scope belongs to.
pub(crate) struct LocalIndex {
    /// In block languages by the binding's own scope; empty for the others.
    by_scope: FxHashMap<(ScopeIndex, Name), Vec<u32>>,
    /// With all of a function's blocks folded into the function, see [`LocalIndex::function_of`].
    by_function: FxHashMap<(ScopeIndex, Name), Vec<u32>>,
    function_of: Vec<ScopeIndex>,
    owners: Vec<Name>,
    /// The branches of each [`ScopeKind::Choice`].
    branches: FxHashMap<ScopeIndex, Vec<ScopeIndex>>,
    has_dotted: bool,
}

/// What a use of a name sees among the local bindings.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Seen {
    /// The bindings that may hold there, by index, in source order.
    pub(crate) bindings: Vec<u32>,
    /// Whether a `global` statement sends the look-up to the file's top.
    pub(crate) is_global: bool,
}

impl LocalIndex {
    pub(crate) fn new(facts: &FileFacts, scoping: Scoping) -> Self {
        let bodies = &facts.bodies;
        let mut function_of: Vec<ScopeIndex> = Vec::with_capacity(bodies.scopes.len());
        let mut owners: Vec<Name> = Vec::with_capacity(bodies.scopes.len());
        let mut branches: FxHashMap<ScopeIndex, Vec<ScopeIndex>> = FxHashMap::default();
        for (number, scope) in bodies.scopes.iter().enumerate() {
            let parent = scope.parent.filter(|parent| (parent.0 as usize) < number);
            let own = ScopeIndex(number as u32);
            function_of.push(match (scope.kind, parent) {
                (ScopeKind::Block | ScopeKind::Leaving | ScopeKind::Choice, Some(parent)) => {
                    function_of[parent.0 as usize]
                }
                _ => own,
            });
            if let Some(parent) =
                parent.filter(|parent| bodies.scopes[parent.0 as usize].kind == ScopeKind::Choice)
            {
                branches.entry(parent).or_default().push(own);
            }
            owners.push(match (scope.decl, parent) {
                (Some(decl), _) => facts.summary.decls[decl.0 as usize].qualname.clone(),
                (None, Some(parent)) => owners[parent.0 as usize].clone(),
                (None, None) => Name::default(),
            });
        }
        let (by_scope, by_function) = (FxHashMap::default(), FxHashMap::default());
        let has_dotted = bodies.bindings.iter().any(|binding| binding.name.contains('.'));
        let mut index = Self { by_scope, by_function, function_of, owners, branches, has_dotted };
        for (number, binding) in bodies.bindings.iter().enumerate() {
            let function = index.function_of[binding.scope.0 as usize];
            let number = number as u32;
            if scoping == Scoping::Block {
                index.by_scope.entry((binding.scope, binding.name.clone())).or_default().push(number);
            }
            index.by_function.entry((function, binding.name.clone())).or_default().push(number);
        }
        index
    }

    /// The qualname of the innermost declaration around a scope.
    pub(crate) fn owner(&self, scope: ScopeIndex) -> &Name {
        &self.owners[scope.0 as usize]
    }

    /// Whether any binding is of an attribute (`self.x`).
    pub(crate) fn has_dotted(&self) -> bool {
        self.has_dotted
    }

    /// All bindings of a name in the function a scope is part of.
    pub(crate) fn all(&self, name: &Name, scope: ScopeIndex) -> &[u32] {
        let function = self.function_of[scope.0 as usize];
        self.by_function.get(&(function, name.clone())).map_or(&[], Vec::as_slice)
    }

    /// The bindings of the same function that every way to a use passes one of; none if it can be
    /// reached past them.
    pub(crate) fn certain(
        &self,
        facts: &FileFacts,
        name: &Name,
        scope: ScopeIndex,
        at: u32,
    ) -> Option<Vec<u32>> {
        let all = self.all(name, scope);
        if all.is_empty() {
            return None;
        }
        let (reaching, is_certain) = Walk { index: self, facts, name }.reaching_certainly(all, scope, at);
        is_certain.then_some(reaching)
    }

    /// What `name`, used at offset `at` of `scope`, sees; none if no local binding answers.
    pub(crate) fn seen(
        &self,
        facts: &FileFacts,
        rules: &dyn Rules,
        name: &Name,
        scope: ScopeIndex,
        at: u32,
    ) -> Option<Seen> {
        let walk = Walk { index: self, facts, name };
        match rules.scoping() {
            Scoping::Block => walk.in_blocks(scope, at, rules.nested_functions_capture()),
            Scoping::Function => walk.in_functions(scope, at),
        }
    }
}

/// The most bindings that may reach one use before nothing is said of it: a bound on the work that
/// long files of conditional assignments make.
const MAX_REACHING: usize = 32;

struct Walk<'w> {
    index: &'w LocalIndex,
    facts: &'w FileFacts,
    name: &'w Name,
}

impl Walk<'_> {
    fn binding(&self, number: u32) -> &Binding {
        &self.facts.bodies.bindings[number as usize]
    }

    fn in_blocks(&self, mut scope: ScopeIndex, at: u32, captures: bool) -> Option<Seen> {
        let mut left_function = false;
        loop {
            let kind = self.facts.bodies.scopes[scope.0 as usize].kind;
            if let Some(all) = self.index.by_scope.get(&(scope, self.name.clone())) {
                let holds = |number: &&u32| self.holds_in_block(**number, at, left_function && !captures);
                if let Some(latest) = all.iter().rev().find(holds) {
                    // Items of one name in one block are alternatives of conditional compilation.
                    let bindings = match self.is_item(*latest) {
                        true => all.iter().copied().filter(|number| self.is_item(*number)).collect(),
                        false => vec![*latest],
                    };
                    return Some(Seen { bindings, is_global: false });
                }
            }
            left_function |= kind == ScopeKind::Function;
            scope = self.facts.bodies.scopes[scope.0 as usize].parent?;
        }
    }

    /// Declarations and imports hold in all of their block, variables from where they are bound.
    fn holds_in_block(&self, number: u32, at: u32, items_only: bool) -> bool {
        self.is_item(number) || self.binding(number).at <= at && !items_only
    }

    fn is_item(&self, number: u32) -> bool {
        matches!(self.binding(number).kind, BindingKind::Decl(_) | BindingKind::Import(_))
    }

    fn in_functions(&self, scope: ScopeIndex, at: u32) -> Option<Seen> {
        let (mut scope, mut crossed) = (scope, false);
        loop {
            let function = self.index.function_of[scope.0 as usize];
            let info = &self.facts.bodies.scopes[function.0 as usize];
            if crossed && info.kind == ScopeKind::Module {
                return self.of_own_branch(function, scope);
            }
            let is_seen = !crossed || info.kind != ScopeKind::Type;
            if let (true, Some(all)) = (is_seen, self.index.by_function.get(&(function, self.name.clone()))) {
                if all.iter().any(|number| self.binding(*number).kind == BindingKind::Global) {
                    return Some(Seen { bindings: Vec::new(), is_global: true });
                }
                let is_elsewhere = |number: &u32| self.binding(*number).kind == BindingKind::Nonlocal;
                if !all.iter().any(is_elsewhere) {
                    let bindings = if crossed { self.values(all) } else { self.reaching(all, scope, at) };
                    return Some(Seen { bindings, is_global: false });
                }
            }
            crossed |= matches!(info.kind, ScopeKind::Function | ScopeKind::Closure);
            scope = info.parent?;
        }
    }

    /// What a name of the file means in a function that stands in one of several branches: names that
    /// other branches bind are never there together with it. None if the branches make no difference.
    fn of_own_branch(&self, file: ScopeIndex, scope: ScopeIndex) -> Option<Seen> {
        let all = self.values(self.index.by_function.get(&(file, self.name.clone()))?);
        let is_own = |number: &u32| {
            let bound_in = self.binding(*number).scope;
            self.encloses(bound_in, scope) || self.flows_to(bound_in, scope)
        };
        let own: Vec<u32> = all.iter().copied().filter(is_own).collect();
        (!own.is_empty() && own.len() < all.len()).then_some(Seen { bindings: own, is_global: false })
    }

    /// Every binding that gives a value: a nested function may run at any time.
    fn values(&self, all: &[u32]) -> Vec<u32> {
        let is_value = |number: &u32| self.binding(*number).kind != BindingKind::Narrow;
        all.iter().copied().filter(is_value).collect()
    }

    /// The bindings that may have given the name its value at `at`: backwards to the first that every
    /// way there passes. Branches that exclude the use's own and blocks that never end are left out;
    /// a choice all of whose branches bind the name is passed by no way.
    fn reaching(&self, all: &[u32], scope: ScopeIndex, at: u32) -> Vec<u32> {
        let (reaching, is_certain) = self.reaching_certainly(all, scope, at);
        if reaching.is_empty() && !is_certain { self.values(all) } else { reaching }
    }

    /// As [`Walk::reaching`], and whether no way passes by all of them.
    fn reaching_certainly(&self, all: &[u32], scope: ScopeIndex, at: u32) -> (Vec<u32>, bool) {
        let mut is_certain = false;
        let mut reaching = Vec::new();
        let mut bound_branches: FxHashSet<ScopeIndex> = FxHashSet::default();
        let before = &all[..all.partition_point(|number| self.binding(*number).at <= at)];
        for number in before.iter().rev().copied() {
            let binding = self.binding(number);
            if self.encloses(binding.scope, scope) {
                reaching.push(number);
                is_certain = true;
                break;
            }
            if binding.kind == BindingKind::Narrow || !self.flows_to(binding.scope, scope) {
                continue;
            }
            reaching.push(number);
            if reaching.len() > MAX_REACHING {
                return (Vec::new(), true);
            }
            if self.is_bound_on_all_ways(binding.scope, scope, &mut bound_branches) {
                is_certain = true;
                break;
            }
        }
        reaching.reverse();
        (reaching, is_certain)
    }

    /// Whether what is bound in `from`, which does not enclose `to`, can be seen in `to`, behind it.
    fn flows_to(&self, mut from: ScopeIndex, to: ScopeIndex) -> bool {
        while !self.encloses(from, to) {
            let scope = &self.facts.bodies.scopes[from.0 as usize];
            let Some(parent) = scope.parent else { return true };
            let is_other_branch = self.facts.bodies.scopes[parent.0 as usize].kind == ScopeKind::Choice
                && self.encloses(parent, to);
            if scope.kind == ScopeKind::Leaving || is_other_branch {
                return false;
            }
            from = parent;
        }
        true
    }

    /// Notes that the branch `from` binds the name; true if with it a choice that every way to `to`
    /// passes has no branch left that does not.
    fn is_bound_on_all_ways(
        &self,
        mut from: ScopeIndex,
        to: ScopeIndex,
        bound_branches: &mut FxHashSet<ScopeIndex>,
    ) -> bool {
        loop {
            let Some(choice) = self.facts.bodies.scopes[from.0 as usize].parent else { return false };
            let Some(branches) = self.index.branches.get(&choice) else { return false };
            bound_branches.insert(from);
            let is_bound = |branch: &ScopeIndex| {
                let kind = self.facts.bodies.scopes[branch.0 as usize].kind;
                kind == ScopeKind::Leaving || bound_branches.contains(branch)
            };
            if !branches.iter().all(is_bound) {
                return false;
            }
            let Some(around) = self.facts.bodies.scopes[choice.0 as usize].parent else { return false };
            if self.encloses(around, to) {
                return true;
            }
            from = around;
        }
    }

    fn encloses(&self, outer: ScopeIndex, mut inner: ScopeIndex) -> bool {
        while inner.0 > outer.0 {
            match self.facts.bodies.scopes[inner.0 as usize].parent {
                Some(parent) => inner = parent,
                None => return false,
            }
        }
        inner == outer
    }
}
