import { DiscordSite } from "./discord-site.ts";
import { playGolden } from "./play-golden.ts";

playGolden(DiscordSite);
