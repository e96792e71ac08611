//! The node kinds and fields of tree-sitter-java that the adapter looks at.

use std::sync::LazyLock;

use bindery_syntax::{FlatTree, Tables, node_fields, node_kinds};

node_kinds! {
    /// Node kinds. Comments are left out: documentation is read off the text before a declaration.
    pub(crate) enum Kind {
        Program = "program",
        PackageDeclaration = "package_declaration",
        ImportDeclaration = "import_declaration",
        ModuleDeclaration = skip "module_declaration",
        Asterisk = leaf "asterisk",
        ScopedIdentifier = leaf "scoped_identifier",
        ClassDeclaration = "class_declaration",
        RecordDeclaration = "record_declaration",
        InterfaceDeclaration = "interface_declaration",
        AnnotationTypeDeclaration = "annotation_type_declaration",
        EnumDeclaration = "enum_declaration",
        ClassBody = "class_body",
        InterfaceBody = "interface_body",
        AnnotationTypeBody = "annotation_type_body",
        EnumBody = "enum_body",
        EnumConstant = "enum_constant",
        FieldDeclaration = "field_declaration",
        ConstantDeclaration = "constant_declaration",
        MethodDeclaration = "method_declaration",
        ConstructorDeclaration = "constructor_declaration",
        CompactConstructorDeclaration = "compact_constructor_declaration",
        AnnotationTypeElementDeclaration = "annotation_type_element_declaration",
        ConstructorBody = "constructor_body",
        Block = "block",
        Modifiers = "modifiers",
        MarkerAnnotation = "marker_annotation",
        Annotation = "annotation",
        Superclass = "superclass",
        SuperInterfaces = "super_interfaces",
        ExtendsInterfaces = "extends_interfaces",
        TypeList = "type_list",
        Throws = "throws",
        TypeParameters = "type_parameters",
        TypeParameter = "type_parameter",
        TypeBound = "type_bound",
        FormalParameters = "formal_parameters",
        FormalParameter = "formal_parameter",
        SpreadParameter = "spread_parameter",
        ReceiverParameter = "receiver_parameter",
        InferredParameters = "inferred_parameters",
        VariableDeclarator = "variable_declarator",
        Dimensions = "dimensions",
        DimensionsExpr = "dimensions_expr",
        TypeIdentifier = leaf "type_identifier",
        ScopedTypeIdentifier = "scoped_type_identifier",
        GenericType = "generic_type",
        TypeArguments = "type_arguments",
        Wildcard = "wildcard",
        ArrayType = "array_type",
        AnnotatedType = "annotated_type",
        IntegralType = leaf "integral_type",
        FloatingPointType = leaf "floating_point_type",
        BooleanType = leaf "boolean_type",
        VoidType = leaf "void_type",
        LocalVariableDeclaration = "local_variable_declaration",
        ForStatement = "for_statement",
        EnhancedForStatement = "enhanced_for_statement",
        TryWithResourcesStatement = "try_with_resources_statement",
        Resource = "resource",
        CatchClause = "catch_clause",
        CatchFormalParameter = "catch_formal_parameter",
        CatchType = "catch_type",
        ReturnStatement = "return_statement",
        YieldStatement = "yield_statement",
        ExpressionStatement = "expression_statement",
        SwitchExpression = "switch_expression",
        SwitchBlock = "switch_block",
        SwitchRule = "switch_rule",
        SwitchLabel = "switch_label",
        TypePattern = "type_pattern",
        RecordPattern = "record_pattern",
        RecordPatternComponent = "record_pattern_component",
        UnderscorePattern = leaf "underscore_pattern",
        LabeledStatement = "labeled_statement",
        BreakStatement = skip "break_statement",
        ContinueStatement = skip "continue_statement",
        Identifier = leaf "identifier",
        This = leaf "this",
        Super = leaf "super",
        MethodInvocation = "method_invocation",
        ExplicitConstructorInvocation = "explicit_constructor_invocation",
        ObjectCreationExpression = "object_creation_expression",
        ArrayCreationExpression = "array_creation_expression",
        ArrayInitializer = "array_initializer",
        ArgumentList = "argument_list",
        FieldAccess = "field_access",
        ArrayAccess = "array_access",
        MethodReference = "method_reference",
        LambdaExpression = "lambda_expression",
        ParenthesizedExpression = "parenthesized_expression",
        CastExpression = "cast_expression",
        AssignmentExpression = "assignment_expression",
        BinaryExpression = "binary_expression",
        UnaryExpression = "unary_expression",
        UpdateExpression = "update_expression",
        InstanceofExpression = "instanceof_expression",
        TernaryExpression = "ternary_expression",
        ClassLiteral = "class_literal",
        TemplateExpression = "template_expression",
        DecimalInteger = leaf "decimal_integer_literal",
        HexInteger = leaf "hex_integer_literal",
        OctalInteger = leaf "octal_integer_literal",
        BinaryInteger = leaf "binary_integer_literal",
        DecimalFloat = leaf "decimal_floating_point_literal",
        HexFloat = leaf "hex_floating_point_literal",
        True = leaf "true",
        False = leaf "false",
        Character = leaf "character_literal",
        String = "string_literal",
        Null = leaf "null_literal",
        LineComment = skip "line_comment",
        BlockComment = skip "block_comment",
        StringFragment = skip "string_fragment",
        MultilineStringFragment = skip "multiline_string_fragment",
        EscapeSequence = skip "escape_sequence",
        Public = token "public",
        Protected = token "protected",
        Private = token "private",
        Abstract = token "abstract",
        Static = token "static",
        Final = token "final",
        Default = token "default",
        Native = token "native",
        Synchronized = token "synchronized",
        Transient = token "transient",
        Volatile = token "volatile",
        Strictfp = token "strictfp",
        Sealed = token "sealed",
        NonSealed = token "non-sealed",
        New = token "new",
    }
}

node_fields! {
    /// The fields that tell the children of one node apart.
    pub(crate) enum Field {
        Alternative = "alternative",
        Arguments = "arguments",
        Array = "array",
        Body = "body",
        Condition = "condition",
        Consequence = "consequence",
        Constructor = "constructor",
        Declarator = "declarator",
        Dimensions = "dimensions",
        Element = "element",
        Member = "field",
        Index = "index",
        Interfaces = "interfaces",
        Left = "left",
        Name = "name",
        Object = "object",
        Operand = "operand",
        Operator = "operator",
        Parameters = "parameters",
        Pattern = "pattern",
        Right = "right",
        Superclass = "superclass",
        Type = "type",
        TypeArguments = "type_arguments",
        TypeParameters = "type_parameters",
        Value = "value",
    }
}

/// The tree of one Java file.
pub(crate) type JavaTree = FlatTree<Kind, Field>;

/// Kinds and fields by the grammar's ids.
pub(crate) static TABLES: LazyLock<Tables<Kind, Field>> =
    LazyLock::new(|| Tables::new(&tree_sitter_java::LANGUAGE.into(), Kind::TABLE, Field::TABLE));

impl Kind {
    /// The declaration of a named type.
    pub(crate) fn declares_type(self) -> bool {
        use Kind::*;
        matches!(
            self,
            ClassDeclaration
                | RecordDeclaration
                | InterfaceDeclaration
                | AnnotationTypeDeclaration
                | EnumDeclaration
        )
    }

    /// The declaration of a method or constructor.
    pub(crate) fn declares_callable(self) -> bool {
        use Kind::*;
        matches!(
            self,
            MethodDeclaration
                | ConstructorDeclaration
                | CompactConstructorDeclaration
                | AnnotationTypeElementDeclaration
        )
    }

    /// The body of a type.
    pub(crate) fn is_type_body(self) -> bool {
        use Kind::*;
        matches!(self, ClassBody | InterfaceBody | AnnotationTypeBody | EnumBody)
    }

    /// A written type.
    pub(crate) fn is_type(self) -> bool {
        use Kind::*;
        matches!(
            self,
            TypeIdentifier
                | ScopedTypeIdentifier
                | GenericType
                | ArrayType
                | AnnotatedType
                | IntegralType
                | FloatingPointType
                | BooleanType
                | VoidType
        )
    }

    /// An annotation.
    pub(crate) fn is_annotation(self) -> bool {
        matches!(self, Kind::MarkerAnnotation | Kind::Annotation)
    }
}
