export interface JsonSchema {
	readonly $ref?: string;
	readonly const?: unknown;
	readonly type?: string | readonly string[];
	readonly properties?: Readonly<Record<string, JsonSchema>>;
	readonly additionalProperties?: boolean | JsonSchema;
	unevaluatedProperties?: boolean;
	readonly items?: JsonSchema;
	readonly allOf?: readonly JsonSchema[];
	readonly anyOf?: readonly JsonSchema[];
	readonly oneOf?: readonly JsonSchema[];
}

interface Content {
	readonly "application/json"?: { readonly schema: JsonSchema };
}

export interface Operation {
	readonly parameters?: readonly {
		readonly name: string;
		readonly in: string;
		readonly schema: JsonSchema;
	}[];
	readonly requestBody?: { readonly required?: boolean; readonly content: Content };
	readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: Content }>>;
}

export interface Document {
	readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
	readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}
