/** Type `T` in which each field that may be undefined is an optional field instead. */
export type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
	[K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * Returns a copy of `fields` without the fields that have the value undefined. Use it to write optional fields into a
 * literal. For example, `defined({ id, title })` has no `title` if `title` is undefined.
 */
export function defined<const T extends object>(fields: T): Defined<T>;
export function defined(fields: Readonly<Record<string, unknown>>): object {
	const defined: Record<string, unknown> = {};
	for (const name in fields) {
		if (fields[name] !== undefined) defined[name] = fields[name];
	}
	return defined;
}

/** Returns the items that are not undefined. Use `definedItems` to write optional items into a list. */
export function definedItems<T>(items: readonly T[]): Exclude<T, undefined>[] {
	return items.filter((item): item is Exclude<T, undefined> => item !== undefined);
}
