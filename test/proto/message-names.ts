import { fileURLToPath } from "node:url";
import { loadSync } from "@grpc/proto-loader";

const folder = fileURLToPath(new URL("../../proto", import.meta.url));

interface Field {
	readonly name: string;
	readonly oneofIndex?: number;
}

/**
 * Returns the names of the fields in the oneof of a message, in camel case. They are the kinds of frames in a
 * stream.
 */
export function messageNames(file: string, message: string): string[] {
	const proto = loadSync(file, { includeDirs: [folder] });
	// The cast is safe because proto-loader describes a message type by its descriptor as JSON.
	const { type } = proto[message] as { readonly type: { readonly field: readonly Field[] } };
	return type.field.filter(({ oneofIndex }) => oneofIndex !== undefined).map(({ name }) => camelCase(name));
}

function camelCase(name: string): string {
	return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
