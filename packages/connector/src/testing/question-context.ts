import type { OzzieEvent } from "@parley/protocol";
import { emptyConversation } from "../conversation/conversation.ts";
import type { ArrivalOf } from "../platform/inbound-event.ts";
import { answerByReply, pressesOfQuestions } from "../presses/questions.ts";
import type { Desk, Reply } from "../rooms/handler-context.ts";
import { onBehalf } from "../rooms/on-behalf.ts";
import type { RoomSession } from "../subscription/session-subscription.ts";
import { play, session, token } from "./question-scene.ts";
import { ada, general, scriptedDesk } from "./scripted-context.ts";
import type { ScriptedAnswers, ScriptedRequests } from "./scripted-requests.ts";

/** As whom the gateway is asked. */
export const behalf = onBehalf(ada, general);

/** What somebody chose or wrote. */
export type Pressed = Partial<Pick<ArrivalOf<"press">, "values" | "fields">>;
export type QuestionPress = keyof typeof pressesOfQuestions;

/** A person in a room where a question was asked, and the gateway that hears their answer. */
export class QuestionDesk {
	/** What the connector has heard so far. */
	events: readonly OzzieEvent[];
	readonly gateway: ScriptedRequests;
	readonly desk: Desk;

	constructor(events: readonly OzzieEvent[], answers: ScriptedAnswers) {
		this.events = events;
		const { desk, gateway } = scriptedDesk(answers);
		this.gateway = gateway;
		this.desk = { ...desk, session: (id) => (id === session ? this.#session() : undefined) };
	}

	press(kind: QuestionPress, what: Pressed = {}): Promise<Reply | undefined> {
		const arrival: Omit<ArrivalOf<"press">, "ticket"> = {
			...{ type: "press", control: "", values: [], fields: {} },
			...{ room: general, person: ada, at: 0, ...what },
		};
		return pressesOfQuestions[kind](this.desk, { arrival, key: "key" }, { kind, session, subject: token });
	}

	says(text: string): Promise<Reply | undefined> {
		return answerByReply(this.desk, { person: ada, room: general, key: "key", token, session, text });
	}

	#session(): RoomSession {
		return { session, room: general, state: { ...emptyConversation, questions: play(this.events).slice } };
	}
}
