import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { intake } from "./scenes/intake.ts";

playScenes(DiscordSite, intake);
