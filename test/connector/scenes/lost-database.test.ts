import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { lostDatabase } from "./scenes/lost-database.ts";

playScenes(DiscordSite, lostDatabase);
