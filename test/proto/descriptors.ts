import { fileURLToPath } from "node:url";
import { loadSync } from "@grpc/proto-loader";
import * as z from "zod";

const Range = z.object({ start: z.number(), end: z.number() });
const Message = z.object({
	name: z.string(),
	field: z.array(
		z.object({
			...{ name: z.string(), number: z.number(), label: z.string(), type: z.string(), typeName: z.string() },
			oneofIndex: z.number(),
		}),
	),
	oneofDecl: z.array(z.object({ name: z.string() })),
	reservedRange: z.array(Range),
});

interface ProtoMessage {
	readonly name: string;
	/**
	 * Fields in the order of their numbers, as `name=number`, with `:type` unless the type is `string`. `*` marks a
	 * repeated field, and `?` an optional field.
	 */
	readonly fields: string;
	/** The first number of each reserved range. */
	readonly reserved: readonly number[];
}

/** Returns the messages in a file below `proto/`, read with a different library than the codecs use. */
export function messagesOf(file: string): ProtoMessage[] {
	const includeDirs = [fileURLToPath(new URL("../../proto", import.meta.url))];
	const proto = loadSync(file, { includeDirs, keepCase: true });
	const own = Object.entries(proto).filter(([name]) => !name.startsWith("google."));
	return own.flatMap(([, item]) => {
		if (!("fileDescriptorProtos" in item && "type" in item)) return [];
		const message = Message.safeParse(item.type);
		return message.success ? [described(message.data)] : [];
	});
}

function described({ name, field, oneofDecl, reservedRange }: z.infer<typeof Message>): ProtoMessage {
	const sorted = field.toSorted((one, other) => one.number - other.number);
	// protoc puts each `optional` field into its own oneof, whose name starts with "_".
	const isOptional = ({ oneofIndex, name: own }: Field): boolean => oneofDecl[oneofIndex]?.name === `_${own}`;
	const fields = sorted.map((one) => written(one, isOptional(one)));
	return { name, fields: fields.join(" "), reserved: reservedRange.map(({ start }) => start) };
}

type Field = z.infer<typeof Message>["field"][number];

function written({ name, number, label, type, typeName }: Field, isOptional: boolean): string {
	const plain = type.replace("TYPE_", "").toLowerCase();
	const shown = ["message", "enum"].includes(plain) ? (typeName.split(".").at(-1) ?? "") : plain;
	const often = label === "LABEL_REPEATED" ? "*" : isOptional ? "?" : "";
	return `${name}=${number}${shown === "string" ? "" : `:${shown}`}${often}`;
}
