import { playScenes } from "./play-scenes.ts";
import { approvals } from "./scenes/approvals.ts";
import { elicitations } from "./scenes/elicitations.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, [...approvals, ...elicitations]);
