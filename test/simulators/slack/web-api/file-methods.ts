import { blockLimits } from "../blocks/block-limits.ts";
import { checkBlocks, numbered, violated } from "../blocks/contents.ts";
import { addFile, fileOf, shareFiles, uploadUrl } from "../platform/files.ts";
import { threadOf } from "../platform/messages.ts";
import { Refusal } from "../platform/refusal.ts";
import { fileShape, sharesShape } from "../shapes/files.ts";
import { joinedChannel, type Method, method } from "./method.ts";

/** Maximum size of a snippet, "up to 1 MB": https://slack.com/help/articles/204145658 */
const snippetBytes = 1024 * 1024;

export const fileMethods: readonly Method[] = [
	// Documentation: https://docs.slack.dev/reference/methods/files.info
	method("files.info", { tier: 4, scope: "files:read" }, ({ state, args }) => {
		const file = fileOf(state, args.file);
		return { file: { ...fileShape(state, file), shares: sharesShape(file) }, comments: [] };
	}),
	// Documentation: https://docs.slack.dev/reference/methods/files.getUploadURLExternal
	method("files.getUploadURLExternal", { tier: 4, scope: "files:write" }, ({ state, args }) => {
		const { filename, length, alt_txt: altText, snippet_type: snippet } = args;
		if (filename === "" || !Number.isInteger(length) || length <= 0) throw new Refusal("invalid_arguments");
		if (altText !== undefined && altText.length > 1000) throw new Refusal("alt_txt_too_large");
		if (snippet !== undefined && length > snippetBytes) throw violated(state, "snippet_too_large");
		const facts = { name: filename, size: length, owner: state.app.user };
		const file = addFile(state, {
			...facts,
			...(altText !== undefined && { altText }),
			...(snippet !== undefined && { snippet }),
		});
		return { upload_url: uploadUrl(state, file), file_id: file.id };
	}),
	// Documentation: https://docs.slack.dev/reference/methods/files.completeUploadExternal
	method("files.completeUploadExternal", { tier: 4, scope: "files:write" }, ({ state, args }) => {
		const files = args.files.map(({ id, title }) => {
			const file = state.files.get(id);
			if (!file?.bytes || file.complete) throw new Refusal("file_not_found");
			return { file, title: title ?? file.name };
		});
		const { channel_id: channelId, thread_ts: thread, initial_comment: text = "", blocks } = args;
		const channel = channelId === undefined ? undefined : joinedChannel(state, channelId);
		const threadTs = channel && thread !== undefined ? threadOf(state, channel, thread) : undefined;
		if (blocks) checkBlocks(state, blocks, blockLimits.blocksOfMessage);
		for (const { file, title } of files) Object.assign(file, { complete: true, title });
		// Alternative text is only for images. For other files, Slack was observed to send the same response, but not
		// to show the file.
		const isShown = files.every(({ file }) => file.altText === undefined || file.type.startsWith("image/"));
		if (channel && isShown) {
			shareFiles(state, {
				...{ files: files.map(({ file }) => file), channel, text },
				...(threadTs !== undefined && { threadTs }),
				// Slack documents: "If the initial_comment field is provided, the blocks field is ignored."
				...(blocks && text === "" && { blocks: numbered(state, blocks) }),
			});
		}
		return { files: files.map(({ file: { id, title } }) => ({ id, title })) };
	}),
];
