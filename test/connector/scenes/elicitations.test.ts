import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { elicitations } from "./scenes/elicitations.ts";

playScenes(DiscordSite, elicitations);
