import { ozzie, type Requirement } from "../requirement.ts";

export const fileRequirements = {
	"file.upload": ozzie(
		"ruling 12",
		"`POST /api/files` keeps its body as a file whose type is told by its content, under a safe name.",
	),
	"file.download": ozzie(
		"ruling 12",
		"`GET /api/files/ID` gives the content out, whole or in part, to be saved and never to be run.",
	),
	"file.limits": ozzie(
		"ruling 12",
		"Files that are too large, too many or past their time are refused with a status and a reason.",
	),
	"file.streamed": ozzie("ruling 12", "A file is never held whole in memory, on its way in or out."),
	"file.checked": ozzie(
		"security 6",
		"The places for files pass the same Host, Origin and token checks as everything.",
	),
	"file.attached": ozzie(
		"ruling 12",
		"`attachments` of `send_message` reach the model: pictures as pictures, all else in the working directory.",
	),
	"file.unknown": ozzie(
		"ruling 12",
		"A message with a file that is not there is refused, and nothing of it is kept.",
	),
	"file.created": ozzie(
		"ruling 12",
		"A file that the model sends is told of as `file.created`, before its `tool.call` is completed.",
	),
	"file.gone": ozzie("our own: Files", "Files go with the session that they belong to."),
} satisfies Record<string, Requirement>;
