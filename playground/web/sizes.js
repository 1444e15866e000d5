// Sizes that suit a program, and the stops of each: the values that the program admits.

/** Returns the index of the stop that lies nearest to a value, by factors. */
export const nearest = (stops, value) => stops.reduce((best, each, at) => (Math.abs(Math.log((each || 0.5) / (value || 0.5))) < Math.abs(Math.log((stops[best] || 0.5) / (value || 0.5))) ? at : best), 0);

/** Sets `app.values` and `app.stops` for the program that is open. */
export async function suited(app) {
  const { formals } = app.view.program;
  for (const name of Object.keys(app.values)) if (!formals.includes(name)) delete app.values[name];
  app.stops = {};
  // Sizes that another program was looked at with stay as long as they suit this one.
  const isNew = app.isOther && !app.given && formals.every((name) => app.values[name] !== undefined) && !(await isShown(app));
  const missing = formals.filter((name) => isNew || app.values[name] === undefined);
  if (missing.length) await grow(app, missing);
  for (const name of formals) app.stops[name] = (await stopsOf(app, name)).stops;
}

const stopsOf = (app, of) => app.live.ask({ do: "stops", ...app.asked(), of });

/** Is there a cost at the sizes chosen, on this card? */
async function isShown(app) {
  const found = await app.live.ask({ do: "values", ...app.asked() });
  return !found.fault && !found.beyond?.length && Boolean(found.cost?.all);
}

/** Beginning with the smallest that the program admits, each size grows to something worth looking at. */
async function grow(app, missing) {
  const { formals } = app.view.program;
  const { first } = await app.live.ask({ do: "stops", ...app.asked(), values: {}, of: formals[0] });
  for (const name of missing) app.values[name] = first?.[name] ?? 1;
  const targets = formals.length === 1 ? [2 ** 20, 2 ** 10, 2 ** 8, 2 ** 6] : [2 ** 10, 2 ** 8, 2 ** 6, 2 ** 4];
  for (const name of missing) {
    const { stops } = await stopsOf(app, name);
    if (!stops.length) continue;
    for (const target of targets) {
      const before = app.values[name];
      app.values[name] = stops[nearest(stops, target)];
      if (await isShown(app)) break;
      app.values[name] = before;
    }
  }
}
