//! The node kinds and fields of tree-sitter-python that the adapter looks at.

use std::sync::LazyLock;

use bindery_syntax::{FlatTree, NodeIndex, Tables, node_fields, node_kinds};

node_kinds! {
    /// Node kinds; operators and keywords are read off the text between two operands instead.
    pub(crate) enum Kind {
        Module = "module",
        Block = "block",
        FunctionDefinition = "function_definition",
        ClassDefinition = "class_definition",
        DecoratedDefinition = "decorated_definition",
        Decorator = "decorator",
        Parameters = "parameters",
        LambdaParameters = "lambda_parameters",
        DefaultParameter = "default_parameter",
        TypedParameter = "typed_parameter",
        TypedDefaultParameter = "typed_default_parameter",
        ListSplatPattern = "list_splat_pattern",
        DictionarySplatPattern = "dictionary_splat_pattern",
        KeywordSeparator = leaf "keyword_separator",
        PositionalSeparator = leaf "positional_separator",
        TuplePattern = "tuple_pattern",
        ListPattern = "list_pattern",
        PatternList = "pattern_list",
        Type = "type",
        TypeParameter = "type_parameter",
        TypeAliasStatement = "type_alias_statement",
        ExpressionStatement = "expression_statement",
        Assignment = "assignment",
        AugmentedAssignment = "augmented_assignment",
        ReturnStatement = "return_statement",
        RaiseStatement = "raise_statement",
        BreakStatement = "break_statement",
        ContinueStatement = "continue_statement",
        AssertStatement = "assert_statement",
        DeleteStatement = "delete_statement",
        GlobalStatement = "global_statement",
        NonlocalStatement = "nonlocal_statement",
        ImportStatement = "import_statement",
        ImportFromStatement = "import_from_statement",
        FutureImportStatement = "future_import_statement",
        AliasedImport = "aliased_import",
        DottedName = "dotted_name",
        RelativeImport = "relative_import",
        ImportPrefix = leaf "import_prefix",
        WildcardImport = leaf "wildcard_import",
        IfStatement = "if_statement",
        ElifClause = "elif_clause",
        ElseClause = "else_clause",
        ForStatement = "for_statement",
        WhileStatement = "while_statement",
        TryStatement = "try_statement",
        ExceptClause = "except_clause",
        FinallyClause = "finally_clause",
        WithStatement = "with_statement",
        WithItem = "with_item",
        MatchStatement = "match_statement",
        CaseClause = "case_clause",
        CasePattern = "case_pattern",
        ClassPattern = "class_pattern",
        DictPattern = "dict_pattern",
        KeywordPattern = "keyword_pattern",
        SplatPattern = "splat_pattern",
        UnionPattern = "union_pattern",
        AsPattern = "as_pattern",
        AsPatternTarget = "as_pattern_target",
        Identifier = leaf "identifier",
        Attribute = "attribute",
        Subscript = "subscript",
        Slice = "slice",
        Call = "call",
        ArgumentList = "argument_list",
        KeywordArgument = "keyword_argument",
        ListSplat = "list_splat",
        DictionarySplat = "dictionary_splat",
        Await = "await",
        Yield = "yield",
        Lambda = "lambda",
        ConditionalExpression = "conditional_expression",
        BooleanOperator = "boolean_operator",
        NotOperator = "not_operator",
        ComparisonOperator = "comparison_operator",
        BinaryOperator = "binary_operator",
        UnaryOperator = "unary_operator",
        NamedExpression = "named_expression",
        ParenthesizedExpression = "parenthesized_expression",
        ExpressionList = "expression_list",
        List = "list",
        Set = "set",
        Tuple = "tuple",
        Dictionary = "dictionary",
        Pair = "pair",
        ListComprehension = "list_comprehension",
        SetComprehension = "set_comprehension",
        DictionaryComprehension = "dictionary_comprehension",
        GeneratorExpression = "generator_expression",
        ForInClause = "for_in_clause",
        IfClause = "if_clause",
        String = "string",
        ConcatenatedString = "concatenated_string",
        Interpolation = "interpolation",
        Integer = leaf "integer",
        Float = leaf "float",
        True = leaf "true",
        False = leaf "false",
        None = leaf "none",
        Ellipsis = leaf "ellipsis",
        Comment = skip "comment",
        LineContinuation = skip "line_continuation",
        StringStart = skip "string_start",
        StringContent = skip "string_content",
        StringEnd = skip "string_end",
        EscapeInterpolation = skip "escape_interpolation",
        EscapeSequence = skip "escape_sequence",
        TypeConversion = skip "type_conversion",
    }
}

node_fields! {
    /// The fields that tell the children of one node apart.
    pub(crate) enum Field {
        Alias = "alias",
        Alternative = "alternative",
        Arguments = "arguments",
        Attribute = "attribute",
        Body = "body",
        Condition = "condition",
        Consequence = "consequence",
        Definition = "definition",
        Function = "function",
        Guard = "guard",
        Key = "key",
        Left = "left",
        ModuleName = "module_name",
        Name = "name",
        Object = "object",
        Parameters = "parameters",
        ReturnType = "return_type",
        Right = "right",
        Subject = "subject",
        Subscript = "subscript",
        Superclasses = "superclasses",
        Type = "type",
        TypeParameters = "type_parameters",
        Value = "value",
    }
}

/// The tree of one Python file.
pub(crate) type PythonTree = FlatTree<Kind, Field>;

/// Kinds and fields by the grammar's ids.
pub(crate) static TABLES: LazyLock<Tables<Kind, Field>> =
    LazyLock::new(|| Tables::new(&tree_sitter_python::LANGUAGE.into(), Kind::TABLE, Field::TABLE));

impl Kind {
    /// A comprehension or generator expression.
    pub(crate) fn is_comprehension(self) -> bool {
        use Kind::*;
        matches!(self, ListComprehension | SetComprehension | DictionaryComprehension | GeneratorExpression)
    }

    /// A block, or a statement or clause that ends in one.
    pub(crate) fn ends_in_block(self) -> bool {
        use Kind::*;
        matches!(
            self,
            Block
                | FunctionDefinition
                | ClassDefinition
                | DecoratedDefinition
                | IfStatement
                | ElifClause
                | ElseClause
                | ForStatement
                | WhileStatement
                | TryStatement
                | ExceptClause
                | FinallyClause
                | WithStatement
                | MatchStatement
                | CaseClause
        )
    }

    /// A statement behind which nothing of its block runs.
    pub(crate) fn is_leaving(self) -> bool {
        use Kind::*;
        matches!(self, ReturnStatement | RaiseStatement | BreakStatement | ContinueStatement)
    }
}

/// The expression inside any number of parentheses.
pub(crate) fn unparenthesized(tree: &PythonTree, mut node: NodeIndex) -> NodeIndex {
    while tree.kind(node) == Kind::ParenthesizedExpression {
        match tree.children(node).next() {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}

/// The dotted text of a name or a chain of attributes of a name (`a.b.c`), without white space; none
/// for any other expression.
pub(crate) fn dotted_text<'s>(tree: &PythonTree, node: NodeIndex, source: &'s str) -> Option<&'s str> {
    let mut at = node;
    while tree.kind(at) == Kind::Attribute {
        at = tree.child(at, Field::Object)?;
    }
    let text = tree.text(node, source);
    (tree.kind(at) == Kind::Identifier && !text.contains(char::is_whitespace)).then_some(text)
}

/// Where a statement's last line of code ends. The grammar lets a block reach over the comments that
/// follow it at its own depth.
pub(crate) fn code_end(tree: &PythonTree, mut node: NodeIndex) -> u32 {
    while tree.kind(node).ends_in_block() {
        match tree.children(node).last() {
            Some(last) => node = last,
            None => break,
        }
    }
    tree.node(node).end
}
