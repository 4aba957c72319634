// SPDX-License-Identifier: Apache-2.0
// Draws the figures of a report in the colours of its style sheet, light or dark.
(() => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const draw = () => {
    const axis = { gridcolor: colour("--rule"), zerolinecolor: colour("--rule"), linecolor: colour("--rule") };
    for (const box of document.querySelectorAll(".chart")) {
      const { data, layout } = JSON.parse(box.dataset.figure);
      Object.assign(layout, {
        paper_bgcolor: "rgba(0,0,0,0)",
        plot_bgcolor: "rgba(0,0,0,0)",
        font: { color: colour("--soft"), size: 11 },
        hoverlabel: { bgcolor: colour("--card"), font: { color: colour("--ink") } },
        colorway: [0, 1, 2, 3, 4, 5, 6].map((i) => colour(`--c${i}`)),
        xaxis: { ...layout.xaxis, ...axis },
        yaxis: { ...layout.yaxis, ...axis },
        shapes: layout.shapes.map((shape) => ({ ...shape, fillcolor: colour("--band") })),
      });
      Plotly.react(box, data, layout, { responsive: true, displaylogo: false });
    }
  };
  dark.addEventListener("change", draw);
  draw();
})();
