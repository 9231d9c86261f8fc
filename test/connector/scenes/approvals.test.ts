import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { approvals } from "./scenes/approvals.ts";

playScenes(DiscordSite, approvals);
