//! The node kinds and fields of the grammar that the adapter asks for.

use std::sync::LazyLock;

use bindery_syntax::{FlatTree, Tables, node_fields, node_kinds};

node_kinds! {
    /// Kinds of nodes.
    pub(super) enum Kind {
        SourceFile = "source_file",
        Comment = leaf "comment",
        PackageClause = "package_clause",
        ImportDeclaration = "import_declaration",
        ImportSpecList = "import_spec_list",
        ImportSpec = "import_spec",
        Dot = leaf "dot",
        BlankIdentifier = leaf "blank_identifier",
        PackageIdentifier = leaf "package_identifier",
        // Declarations
        ConstDeclaration = "const_declaration",
        ConstSpec = "const_spec",
        VarDeclaration = "var_declaration",
        VarSpecList = "var_spec_list",
        VarSpec = "var_spec",
        FunctionDeclaration = "function_declaration",
        MethodDeclaration = "method_declaration",
        TypeDeclaration = "type_declaration",
        TypeSpec = "type_spec",
        TypeAlias = "type_alias",
        TypeParameterList = "type_parameter_list",
        TypeParameterDeclaration = "type_parameter_declaration",
        TypeConstraint = "type_constraint",
        ParameterList = "parameter_list",
        ParameterDeclaration = "parameter_declaration",
        VariadicParameterDeclaration = "variadic_parameter_declaration",
        // Types
        TypeIdentifier = leaf "type_identifier",
        QualifiedType = "qualified_type",
        GenericType = "generic_type",
        TypeArguments = "type_arguments",
        PointerType = "pointer_type",
        ArrayType = "array_type",
        ImplicitLengthArrayType = "implicit_length_array_type",
        SliceType = "slice_type",
        StructType = "struct_type",
        NegatedType = "negated_type",
        FieldDeclarationList = "field_declaration_list",
        FieldDeclaration = "field_declaration",
        InterfaceType = "interface_type",
        MethodElem = "method_elem",
        TypeElem = "type_elem",
        MapType = "map_type",
        ChannelType = "channel_type",
        FunctionType = "function_type",
        ParenthesizedType = "parenthesized_type",
        // Statements
        Block = "block",
        StatementList = "statement_list",
        ExpressionList = "expression_list",
        ReceiveStatement = "receive_statement",
        IncStatement = "inc_statement",
        DecStatement = "dec_statement",
        AssignmentStatement = "assignment_statement",
        ShortVarDeclaration = "short_var_declaration",
        IfStatement = "if_statement",
        ForStatement = "for_statement",
        RangeClause = "range_clause",
        ExpressionSwitch = "expression_switch_statement",
        ExpressionCase = "expression_case",
        DefaultCase = "default_case",
        TypeSwitch = "type_switch_statement",
        TypeCase = "type_case",
        SelectStatement = "select_statement",
        CommunicationCase = "communication_case",
        // Expressions
        Identifier = leaf "identifier",
        FieldIdentifier = leaf "field_identifier",
        LabelName = skip "label_name",
        UnaryExpression = "unary_expression",
        BinaryExpression = "binary_expression",
        SelectorExpression = "selector_expression",
        IndexExpression = "index_expression",
        SliceExpression = "slice_expression",
        CallExpression = "call_expression",
        ArgumentList = "argument_list",
        VariadicArgument = "variadic_argument",
        TypeAssertion = "type_assertion_expression",
        TypeConversion = "type_conversion_expression",
        TypeInstantiation = "type_instantiation_expression",
        CompositeLiteral = "composite_literal",
        LiteralValue = "literal_value",
        LiteralElement = "literal_element",
        KeyedElement = "keyed_element",
        FuncLiteral = "func_literal",
        ParenthesizedExpression = "parenthesized_expression",
        RawStringLiteral = leaf "raw_string_literal",
        StringLiteral = leaf "interpreted_string_literal",
        IntLiteral = leaf "int_literal",
        FloatLiteral = leaf "float_literal",
        ImaginaryLiteral = leaf "imaginary_literal",
        RuneLiteral = leaf "rune_literal",
        Nil = leaf "nil",
        True = leaf "true",
        False = leaf "false",
        Iota = leaf "iota",
    }
}

node_fields! {
    /// Fields of nodes.
    pub(super) enum Field {
        Name = "name",
        Path = "path",
        Body = "body",
        Type = "type",
        Value = "value",
        Receiver = "receiver",
        Parameters = "parameters",
        Result = "result",
        TypeParameters = "type_parameters",
        TypeArguments = "type_arguments",
        Element = "element",
        Key = "key",
        Package = "package",
        Tag = "tag",
        Left = "left",
        Right = "right",
        Operand = "operand",
        Operator = "operator",
        Member = "field",
        Index = "index",
        Function = "function",
        Arguments = "arguments",
        Alias = "alias",
    }
}

/// The tree the adapter works on.
pub(super) type Tree = FlatTree<Kind, Field>;

/// The kinds and fields by the ids of the grammar.
pub(super) static TABLES: LazyLock<Tables<Kind, Field>> =
    LazyLock::new(|| Tables::new(&tree_sitter_go::LANGUAGE.into(), Kind::TABLE, Field::TABLE));
