import type { MethodName } from "@parley/protocol";
import { authorizeMethod } from "./actions.ts";
import { catalogueMethods } from "./catalogue.ts";
import { memoryMethods } from "./memories.ts";
import { peopleMethods, placeMethods, tokenMethods } from "./people.ts";
import { auditMethods, grantMethods, policyMethods } from "./policy.ts";
import { promptMethods } from "./prompts.ts";
import type { HandlerContext, MethodsOf, PrincipalRequest } from "./request.ts";
import { scheduleMethods } from "./schedules.ts";
import { sessionMethods } from "./sessions.ts";
import { skillMethods } from "./skills.ts";
import { taskMethods } from "./tasks.ts";
import { usageMethods } from "./usage.ts";

/** Handlers by method. A method without a handler does not compile. */
const handlers: MethodsOf<MethodName> = {
	...sessionMethods,
	...promptMethods,
	...taskMethods,
	...usageMethods,
	...memoryMethods,
	...scheduleMethods,
	...skillMethods,
	...catalogueMethods,
	...peopleMethods,
	...placeMethods,
	...tokenMethods,
	...policyMethods,
	...grantMethods,
	...auditMethods,
};

/** Carries out the request. Returns the payload of its response, or throws the error of the request. */
export async function answerRequest(connection: HandlerContext, request: PrincipalRequest): Promise<unknown> {
	authorizeMethod(request.principal, request.method);
	// True because the handler was looked up by the request's own method.
	const handler = handlers[request.method] as (
		connection: HandlerContext,
		request: PrincipalRequest,
	) => Promise<unknown>;
	return handler(connection, request);
}
