import { ozzie, type Requirement } from "../requirement.ts";

export const fileRequirements = {
	"file.upload": ozzie(
		"ruling 12",
		"`POST /api/files` stores its body as a file. The type is detected from the content, and the name is made safe.",
	),
	"file.download": ozzie(
		"ruling 12",
		"`GET /api/files/ID` returns the content, whole or in part, as an attachment that browsers do not run.",
	),
	"file.limits": ozzie(
		"ruling 12",
		"Files that are too large, too many or expired are refused with a status and a reason.",
	),
	"file.streamed": ozzie("ruling 12", "Uploads and downloads never have a whole file in memory."),
	"file.checked": ozzie(
		"security 6",
		"File endpoints apply the same Host, Origin and token checks as all others.",
	),
	"file.attached": ozzie(
		"ruling 12",
		"`attachments` of `send_message` reach the model: images as images, other files in the working directory.",
	),
	"file.unknown": ozzie(
		"ruling 12",
		"A message with an unknown file is refused, and nothing of it is stored.",
	),
	"file.created": ozzie(
		"ruling 12",
		"A file that the model sends is a `file.created` event before its `tool.call` completes.",
	),
	"file.gone": ozzie("our own: Files", "Files are deleted with their session."),
} satisfies Record<string, Requirement>;
