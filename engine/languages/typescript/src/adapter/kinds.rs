//! The node kinds and fields that the adapter looks at, of the grammars of all dialects.

use std::sync::LazyLock;

use bindery_syntax::{FlatTree, KindRow, NodeIndex, Tables, node_fields, node_kinds};

node_kinds! {
    /// Node kinds; `async`, `get`, `static` and the like are read off the text instead.
    pub(crate) enum Kind {
        Program = "program",
        StatementBlock = "statement_block",
        ExpressionStatement = "expression_statement",
        LexicalDeclaration = "lexical_declaration",
        VariableDeclaration = "variable_declaration",
        UsingDeclaration = "using_declaration",
        VariableDeclarator = "variable_declarator",
        FunctionDeclaration = "function_declaration",
        GeneratorFunctionDeclaration = "generator_function_declaration",
        FunctionSignature = "function_signature",
        FunctionExpression = "function_expression",
        GeneratorFunction = "generator_function",
        ArrowFunction = "arrow_function",
        ClassDeclaration = "class_declaration",
        AbstractClassDeclaration = "abstract_class_declaration",
        Class = "class",
        ClassBody = "class_body",
        ClassHeritage = "class_heritage",
        ExtendsClause = "extends_clause",
        ImplementsClause = "implements_clause",
        ExtendsTypeClause = "extends_type_clause",
        ClassStaticBlock = "class_static_block",
        MethodDefinition = "method_definition",
        MethodSignature = "method_signature",
        AbstractMethodSignature = "abstract_method_signature",
        FieldDefinition = "field_definition",
        PublicFieldDefinition = "public_field_definition",
        PropertySignature = "property_signature",
        CallSignature = "call_signature",
        ConstructSignature = "construct_signature",
        IndexSignature = "index_signature",
        InterfaceDeclaration = "interface_declaration",
        InterfaceBody = "interface_body",
        ObjectType = "object_type",
        TypeAliasDeclaration = "type_alias_declaration",
        EnumDeclaration = "enum_declaration",
        EnumBody = "enum_body",
        EnumAssignment = "enum_assignment",
        InternalModule = "internal_module",
        Module = "module",
        AmbientDeclaration = "ambient_declaration",
        ExportStatement = "export_statement",
        ExportClause = "export_clause",
        ExportSpecifier = "export_specifier",
        NamespaceExport = "namespace_export",
        ImportStatement = "import_statement",
        ImportClause = "import_clause",
        ImportRequireClause = "import_require_clause",
        ImportAlias = "import_alias",
        NamedImports = "named_imports",
        NamespaceImport = "namespace_import",
        ImportSpecifier = "import_specifier",
        NestedIdentifier = "nested_identifier",
        Decorator = "decorator",
        FormalParameters = "formal_parameters",
        RequiredParameter = "required_parameter",
        OptionalParameter = "optional_parameter",
        AccessibilityModifier = leaf "accessibility_modifier",
        AssignmentPattern = "assignment_pattern",
        ObjectAssignmentPattern = "object_assignment_pattern",
        ArrayPattern = "array_pattern",
        ObjectPattern = "object_pattern",
        PairPattern = "pair_pattern",
        RestPattern = "rest_pattern",
        ShorthandPattern = leaf "shorthand_property_identifier_pattern",
        IfStatement = "if_statement",
        ElseClause = "else_clause",
        ForStatement = "for_statement",
        ForInStatement = "for_in_statement",
        WhileStatement = "while_statement",
        DoStatement = "do_statement",
        SwitchBody = "switch_body",
        CatchClause = "catch_clause",
        ReturnStatement = "return_statement",
        ThrowStatement = "throw_statement",
        Identifier = leaf "identifier",
        PropertyIdentifier = leaf "property_identifier",
        PrivateIdentifier = leaf "private_property_identifier",
        TypeIdentifier = leaf "type_identifier",
        ShorthandProperty = leaf "shorthand_property_identifier",
        StatementIdentifier = skip "statement_identifier",
        ComputedPropertyName = "computed_property_name",
        MemberExpression = "member_expression",
        SubscriptExpression = "subscript_expression",
        CallExpression = "call_expression",
        NewExpression = "new_expression",
        Arguments = "arguments",
        SpreadElement = "spread_element",
        AssignmentExpression = "assignment_expression",
        AugmentedAssignment = "augmented_assignment_expression",
        UpdateExpression = "update_expression",
        AwaitExpression = "await_expression",
        YieldExpression = "yield_expression",
        TernaryExpression = "ternary_expression",
        BinaryExpression = "binary_expression",
        UnaryExpression = "unary_expression",
        ParenthesizedExpression = "parenthesized_expression",
        SequenceExpression = "sequence_expression",
        NonNullExpression = "non_null_expression",
        AsExpression = "as_expression",
        SatisfiesExpression = "satisfies_expression",
        TypeAssertion = "type_assertion",
        InstantiationExpression = "instantiation_expression",
        Object = "object",
        Pair = "pair",
        Array = "array",
        String = leaf "string",
        TemplateString = "template_string",
        TemplateSubstitution = "template_substitution",
        Regex = leaf "regex",
        Number = leaf "number",
        True = leaf "true",
        False = leaf "false",
        Null = leaf "null",
        Undefined = leaf "undefined",
        This = leaf "this",
        Super = leaf "super",
        Import = leaf "import",
        JsxElement = "jsx_element",
        JsxOpening = "jsx_opening_element",
        JsxClosing = skip "jsx_closing_element",
        JsxSelfClosing = "jsx_self_closing_element",
        JsxExpression = "jsx_expression",
        JsxAttribute = "jsx_attribute",
        JsxText = skip "jsx_text",
        TypeAnnotation = "type_annotation",
        AssertsAnnotation = "asserts_annotation",
        TypePredicateAnnotation = "type_predicate_annotation",
        TypePredicate = "type_predicate",
        Asserts = "asserts",
        TypeArguments = "type_arguments",
        TypeParameters = "type_parameters",
        TypeParameter = "type_parameter",
        Constraint = "constraint",
        DefaultType = "default_type",
        PredefinedType = leaf "predefined_type",
        GenericType = "generic_type",
        NestedTypeIdentifier = "nested_type_identifier",
        UnionType = "union_type",
        IntersectionType = "intersection_type",
        ArrayType = "array_type",
        TupleType = "tuple_type",
        OptionalType = "optional_type",
        RestType = "rest_type",
        ReadonlyType = "readonly_type",
        ParenthesizedType = "parenthesized_type",
        FunctionType = "function_type",
        ConstructorType = "constructor_type",
        TypeQuery = "type_query",
        LiteralType = "literal_type",
        ThisType = leaf "this_type",
        LookupType = "lookup_type",
        ConditionalType = "conditional_type",
        MappedTypeClause = "mapped_type_clause",
        OmittingTypeAnnotation = "omitting_type_annotation",
        OptingTypeAnnotation = "opting_type_annotation",
        AddingTypeAnnotation = "adding_type_annotation",
        InferType = "infer_type",
        IndexTypeQuery = "index_type_query",
        TemplateLiteralType = "template_literal_type",
        OptionalChain = skip "optional_chain",
        HashBang = leaf "hash_bang_line",
        Comment = skip "comment",
        HtmlComment = skip "html_comment",
    }
}

node_fields! {
    /// The fields that tell the children of one node apart.
    pub(crate) enum Field {
        Alias = "alias",
        Alternative = "alternative",
        Arguments = "arguments",
        Body = "body",
        Condition = "condition",
        Consequence = "consequence",
        Constraint = "constraint",
        Constructor = "constructor",
        Declaration = "declaration",
        Decorator = "decorator",
        Function = "function",
        Index = "index",
        Initializer = "initializer",
        Key = "key",
        KindWord = "kind",
        Left = "left",
        Module = "module",
        Name = "name",
        Object = "object",
        Operator = "operator",
        Parameter = "parameter",
        Parameters = "parameters",
        Pattern = "pattern",
        Property = "property",
        ReturnType = "return_type",
        Right = "right",
        Source = "source",
        Type = "type",
        TypeArguments = "type_arguments",
        TypeParameters = "type_parameters",
        Value = "value",
    }
}

/// The tree of one file.
pub(crate) type Tree = FlatTree<Kind, Field>;

/// The grammar of plain TypeScript.
pub(crate) static TYPESCRIPT: LazyLock<Tables<Kind, Field>> =
    LazyLock::new(|| tables(&tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()));
/// The grammar of TypeScript with JSX.
pub(crate) static TSX: LazyLock<Tables<Kind, Field>> =
    LazyLock::new(|| tables(&tree_sitter_typescript::LANGUAGE_TSX.into()));
/// The grammar of JavaScript with JSX.
pub(crate) static JAVASCRIPT: LazyLock<Tables<Kind, Field>> =
    LazyLock::new(|| tables(&tree_sitter_javascript::LANGUAGE.into()));

/// The rows that a dialect's grammar has: no dialect has all.
fn tables(grammar: &tree_sitter::Language) -> Tables<Kind, Field> {
    let is_known = |row: &&KindRow<Kind>| row.0 == "ERROR" || grammar.id_for_node_kind(row.0, row.1) != 0;
    let kinds: Vec<KindRow<Kind>> = Kind::TABLE.iter().filter(is_known).copied().collect();
    let fields: Vec<(&str, Field)> =
        Field::TABLE.iter().filter(|(name, _)| grammar.field_id_for_name(name).is_some()).copied().collect();
    Tables::new(grammar, &kinds, &fields)
}

impl Kind {
    /// A function with a body, of any form.
    pub(crate) fn is_function(self) -> bool {
        use Kind::*;
        matches!(
            self,
            FunctionDeclaration
                | GeneratorFunctionDeclaration
                | FunctionExpression
                | GeneratorFunction
                | ArrowFunction
                | MethodDefinition
        )
    }

    /// A function that is a value.
    pub(crate) fn is_function_value(self) -> bool {
        use Kind::*;
        matches!(self, FunctionExpression | GeneratorFunction | ArrowFunction)
    }

    /// A class with a body.
    pub(crate) fn is_class(self) -> bool {
        use Kind::*;
        matches!(self, ClassDeclaration | AbstractClassDeclaration | Class)
    }

    /// A field of a class, in either grammar.
    pub(crate) fn is_field(self) -> bool {
        matches!(self, Kind::FieldDefinition | Kind::PublicFieldDefinition)
    }
}

/// The expression inside parentheses and type assertions that say nothing of its type.
pub(crate) fn unwrapped(tree: &Tree, mut node: NodeIndex) -> NodeIndex {
    while matches!(
        tree.kind(node),
        Kind::ParenthesizedExpression | Kind::NonNullExpression | Kind::SatisfiesExpression
    ) {
        match tree.children(node).next() {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}
