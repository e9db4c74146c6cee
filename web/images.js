'use strict';
// Where nodes are images: those that the model is most and least certain of.

function imageTile(data, state, {node, png}, {width, height})
{
    // Whole pixels, about an inch in all.
    const scale = Math.max(1, Math.round(72 / Math.max(width, height)));
    const label = data.label(node), said = data.className(data.predicted(state.view, node));
    const truth = label === noClass ? 'unlabelled' : data.className(label);
    const isWrong = label !== noClass && label !== data.predicted(state.view, node);
    const about = `node ${plain(data.name(node))}: predicted ${plain(said)}, label ${plain(truth)}`;
    return element('figure', {class: isWrong ? 'tile wrong' : 'tile'},
        element('img', {src: png, alt: about, title: about, width: scale * width,
                        height: scale * height}),
        element('figcaption', null, text(said, 12), isWrong ? [' not ', text(truth, 12)] : null));
}

function drawImages(data, state)
{
    const home = document.getElementById('images'), {images} = data.views[state.view];
    home.replaceChildren();
    if (!images || !images.certain.length)
        return;
    const row = (title, tiles) => [element('h3', null, title), element('div', {class: 'tiles'},
        tiles.map(tile => imageTile(data, state, tile, images)))];
    const of = images.of === 'test' ? 'Test images' : 'Images that were not trained on';
    home.append(element('h2', null, 'Images'),
        element('p', {class: 'lead'}, `${of} by ${images.measure}, with the class that the model predicts.`),
        ...row('Most certain', images.certain), ...row('Least certain', images.uncertain));
}
