// Takes pictures of each page of the console, at three widths, light and dark: node screenshots.js DIR

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { launch } from "./browser.js";
import { Server } from "./server.js";

const dir = process.argv[2] ?? "screenshots";
const examples = new Server(new URL("../../examples/recipes", import.meta.url).pathname, "--as", "worker-1");
const dialogues = new Server(new URL("../../examples/dialogues", import.meta.url).pathname);
const shop = new Server(new URL("dialogues", import.meta.url).pathname);
const own = new Server(new URL("recipes", import.meta.url).pathname, "--as", "worker-1");

/** A store in which something has happened. */
async function furnish(server) {
  const runs = {};
  for (const name of ["expense-report", "approval", "quiz", "onboarding", "incident-response", "release-checklist", "nested", "escalation", "four-eyes-payment"]) {
    runs[name] = await server.run(name);
  }
  for (const name of ["support-triage", "retry-and-fallback"]) runs[name] = await server.run(name, "completed");
  return runs;
}

async function main() {
  mkdirSync(dir, { recursive: true });
  await examples.start();
  await own.start();
  await dialogues.start();
  await shop.start();
  const browser = await launch();
  try {
    const empty = own.url;
    const before = [["empty-inbox", empty + "/"], ["empty-runs", empty + "/runs"], ["empty-conversations", dialogues.url + "/conversations"]];
    await shoot(browser, before);
    const runs = await furnish(examples);
    const failed = await own.run("delivery", "failed");
    const everything = await own.run("everything");
    const held = await own.run("letter");
    await own.post(`/api/runs/${held}/hold`, { note: "The print shop is closed until Monday", by: "Bob" });
    const report = await own.run("report", "completed", { shop: "Bern" });
    const { run: fork } = await own.post(`/api/runs/${report}/fork`, { at: 2, set: { shop: "Basel" }, by: "Ada" });
    await own.stands(fork, "completed");
    const { run: stopped } = await own.post("/api/runs", { definition: "report", input: {}, breakBefore: ["write"], by: "Ada" });
    await own.stands(stopped, "paused");
    await own.run("hostile");
    for (const name of ["nightly", "nightly", "yearly"]) await own.stands((await own.post(`/api/schedules/report%2F${name}/fire`, { by: "Ada" })).run, "completed");
    await own.post("/api/schedules/report%2Fyearly/pause", { note: "The shop in Basel is being rebuilt", by: "Bob" });
    const url = examples.url;
    await shoot(browser, await talks());
    await shoot(browser, [
      ["inbox", url + "/"], ["runs", url + "/runs"], ["definitions", url + "/definitions"], ["definition", url + "/definitions/expense-report"],
      ["run-waiting", `${url}/runs/${runs["expense-report"]}`], ["run-completed", `${url}/runs/${runs["retry-and-fallback"]}`],
      ["run-failed", `${own.url}/runs/${failed}`], ["form", `${own.url}/runs/${everything}`], ["hostile", own.url + "/definitions/hostile"],
      ["review", url + "/?q=" + (await question(examples, "check#1"))], ["palette", url + "/runs", async (page) => {
        await page.keyboard.press("Control+k");
        await page.locator(".palette [role=option]").first().waitFor();
      }],
      ["retry", `${own.url}/runs/${failed}`, (page) => page.getByRole("button", { name: "Retry" }).click()],
      ["events", `${url}/runs/${runs["support-triage"]}`, (page) => page.getByRole("tab", { name: "Events" }).click()],
      ["gone", `${url}/runs/run_nothing`],
      ["run-held", `${own.url}/runs/${held}`], ["run-breakpoint", `${own.url}/runs/${stopped}`], ["schedules", own.url + "/schedules"], ["health", own.url + "/health"],
      ["compare", `${own.url}/compare?a=${report}&b=${fork}`], ["compare-none", own.url + "/compare"], ["schedules-none", examples.url + "/schedules"],
      ["hold", `${own.url}/runs/${everything}`, (page) => page.getByRole("button", { name: "Hold" }).click()],
      ["fork", `${own.url}/runs/${report}`, async (page) => {
        await page.getByRole("slider").fill("2");
        await page.getByRole("button", { name: "Fork from here" }).click();
        await page.getByRole("combobox", { name: /Name/ }).fill("shop");
        await page.keyboard.press("Tab");
        await page.waitForFunction(() => document.activeElement?.value === "Bern");
        await page.getByRole("textbox", { name: "Value" }).fill("Basel");
        await page.getByText("Breakpoints").click();
        await page.getByRole("button", { name: "Before it" }).click();
        await page.getByRole("button", { name: "What would differ?" }).click();
        await page.locator(".tried table").first().waitFor();
      }],
      ["menu", own.url + "/schedules", (page) => page.locator("details.settings summary").click()],
      ["marked", own.url + "/runs", async (page) => {
        await page.getByRole("checkbox", { name: /Mark report/ }).nth(0).check();
        await page.getByRole("checkbox", { name: /Mark report/ }).nth(1).check();
      }],
      ["breaks", own.url + "/definitions/report", async (page) => {
        await page.getByText("Breakpoints").click();
        await page.getByRole("button", { name: "After it" }).click();
      }],
    ]);
  } finally {
    await browser.close();
    await examples.end();
    await own.end();
    await dialogues.end();
    await shop.end();
  }
}

/** Conversations of several kinds, and their pages. */
async function talks() {
  const open = await dialogues.talk("bank", "send 50 to Bob", "I would like a pony", "savings");
  const handed = await dialogues.talk("support", "is mail down", "that is not true", "I want to speak to a person");
  await dialogues.talk("clinic", "I need to see a doctor");
  await dialogues.talk("travel", "I want to go to Lisbon");
  const odd = await shop.talk("shop", "when are you open", "I want a refund", "4711");
  const at = (server, dialogue, id) => `${server.url}/conversations/${dialogue}/${id}`;
  return [
    ["conversations", dialogues.url + "/conversations"], ["dialogue", dialogues.url + "/definitions/bank"], ["conversation", at(dialogues, "bank", open), settled],
    ["conversation-handed", at(dialogues, "support", handed), async (page) => {
      await settled(page);
      await page.getByRole("button", { name: "Take over" }).click();
      await page.getByText("You have this conversation").waitFor();
    }],
    ["conversation-busy", at(shop, "shop", odd), settled], ["inbox-conversation", dialogues.url + "/"],
    ["conversation-desk", at(dialogues, "bank", open), async (page) => {
      await settled(page);
      const desk = page.getByRole("button", { name: "Desk" });
      if (await desk.getAttribute("aria-pressed") === "false") await desk.click();
      await page.locator(".side .heard").scrollIntoViewIfNeeded();
    }],
  ];
}

async function settled(page) {
  await page.locator(".line").last().waitFor();
  await page.locator('[role="log"][aria-busy="false"]').waitFor();
  await page.waitForTimeout(200);
}

async function question(server, task) {
  const { interrupts } = await (await fetch(server.url + "/api/interrupts")).json();
  return interrupts.find((q) => q.task === task).requestId;
}

/** Pictures for documents are light alone, and no taller than somebody scrolls. */
const tallest = Number(process.env.TALLEST ?? 4000);
const suffix = (scheme) => (process.env.SCHEMES === "light" ? "" : "-" + scheme);

async function shoot(browser, pages) {
  const widths = (process.env.WIDTHS ?? "1440,768,320").split(",").map(Number);
  for (const colorScheme of (process.env.SCHEMES ?? "light,dark").split(",")) {
    for (const width of widths) {
      const context = await browser.newContext({ viewport: { width, height: width < 500 ? 640 : 900 }, colorScheme, locale: "en-GB", reducedMotion: "reduce", deviceScaleFactor: 1 });
      await context.addInitScript(() => localStorage.setItem("fermata.name", "Ada"));
      const page = await context.newPage();
      for (const [name, address, act] of pages) {
        if (process.env.ONLY && !process.env.ONLY.split(",").includes(name)) continue;
        await page.goto(address);
        await page.locator("h1").waitFor({ state: "attached" });
        await page.waitForFunction(() => !document.querySelector(".loading"), undefined, { timeout: 60_000 });
        await page.waitForTimeout(300); // for what comes after: counts, drawings
        if (act) await act(page);
        if (!act) { // the whole page, with what is fixed at its end
          const height = await page.evaluate(() => document.documentElement.scrollHeight);
          await page.setViewportSize({ width, height: Math.min(Math.max(height, width < 500 ? 640 : 900), tallest) });
          await page.waitForTimeout(100);
        }
        await page.screenshot({ path: join(dir, `${name}-${width}${suffix(colorScheme)}.png`) });
        await page.setViewportSize({ width, height: width < 500 ? 640 : 900 });
      }
      await context.close();
    }
  }
}

await main();
