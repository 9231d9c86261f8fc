import { authorize, type Principal } from "@parley/core";
import { type Tickets, ticketSeconds } from "../../../auth/tickets.ts";
import { type Answer, errorAnswer } from "../error-code.ts";
import { sendJson } from "../reply.ts";
import type { StreamRequest } from "./events.ts";

export const ticketsPath = "/api/tickets";

/** Answers a `POST` with a ticket that has the rights of the caller. */
export function answerTickets(
	{ request, response, principal }: Pick<StreamRequest, "request" | "response" | "principal">,
	tickets: Pick<Tickets, "issue">,
): void {
	sendJson(response, request.method === "POST" ? issue(principal, tickets) : onlyPost);
}

const onlyPost = { status: 405, body: { error: "only POST is served here" }, headers: { allow: "POST" } };

function issue(principal: Principal, tickets: Pick<Tickets, "issue">): Answer {
	try {
		authorize(principal, "ticket.create");
		return { status: 201, body: { ticket: tickets.issue(principal), expires_in: ticketSeconds } };
	} catch (reason) {
		return errorAnswer(reason);
	}
}
