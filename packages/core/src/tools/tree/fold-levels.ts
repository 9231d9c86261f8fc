/**
 * The lines of a listing: files down to `depth` levels, and of each directory below that one line with the number of
 * its files. `files` are relative paths in ascending order.
 */
export function foldLevels(files: readonly string[], depth: number): string[] {
	const lines: { readonly path: string; files: number }[] = [];
	for (const file of files) {
		const names = file.split("/");
		const path = names.length > depth ? `${names.slice(0, depth).join("/")}/` : file;
		const last = lines.at(-1);
		if (last?.path === path) last.files += 1;
		else lines.push({ path, files: 1 });
	}
	return lines.map(({ path, files: count }) =>
		path.endsWith("/") ? `${path} (${count} ${count === 1 ? "file" : "files"})` : path,
	);
}
