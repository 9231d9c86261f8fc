import { encodeCommand } from "../../shared/command-json.ts";
import { keyedRequest, type MethodsOf, targetNamed } from "./request.ts";

export const commandMethods: MethodsOf<"list_commands" | "stop_command"> = {
	async list_commands(connection, request) {
		const { runtime } = connection.deps;
		const commands = await runtime.commands.list(request.principal, targetNamed(connection, request));
		return { commands: commands.map(encodeCommand) };
	},

	async stop_command(connection, request) {
		const sessionId = targetNamed(connection, request);
		const { runtime } = connection.deps;
		const { number } = request.params;
		return {
			command: encodeCommand(
				await runtime.commands.stop(keyedRequest(request, sessionId), sessionId, number),
			),
		};
	},
};
