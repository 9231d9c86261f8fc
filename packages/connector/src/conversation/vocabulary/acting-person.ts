import type { ChatPlatform } from "../../platform/chat-platform.ts";

/** Who did something, given as the gateway names them: a person of the platform by its own name, everybody else is the operator. */
export function actingPerson(by: string, { person }: Pick<ChatPlatform, "person">): string {
	const id = /^[^:]+:[^:]+:(?<id>[^:]+)$/u.exec(by)?.groups?.["id"];
	return id === undefined ? "the operator" : person(id);
}
